package plan

import (
	"github.com/efoc/efoc/kernels"
)

// The ops here combine fuzzy vectors: they read neither the table nor the graph.

// Complement computes α/n − x.
func (w *Workspace) Complement(dst, x Vec) Vec {
	y := w.Vector(x)
	kernels.Complement(w.Vector(dst), y, w.settings.Alpha/float64(w.Part.Total(len(y))))
	return dst
}

// Elsewhere computes 1 − x: the message of an inequality to one term from the state x of the other.
func (w *Workspace) Elsewhere(dst, x Vec) Vec {
	kernels.Complement(w.Vector(dst), w.Vector(x), 1)
	return dst
}

// Blend computes 2(1−w)·x + 2w·y, which is x + y if w is ½.
func (w *Workspace) Blend(dst, x, y Vec) Vec {
	kernels.Blend(w.Vector(dst), w.Vector(x), w.Vector(y), w.settings.Weight)
	return dst
}

// Message computes N(2(1−w)·softmax(scores) + 2w·links), the message of an atom to its receiver
// from scores and observed links. dst may be scores, but not links.
func (w *Workspace) Message(dst, scores, links Vec) Vec {
	kernels.Message(w.Vector(dst), w.Vector(scores), w.Vector(links), w.settings.Weight, w.settings.Epsilon)
	return dst
}

// Mul computes x ∘ y ∘ …. Only x and y may be dst.
func (w *Workspace) Mul(dst, x, y Vec, more ...Vec) Vec {
	return w.fold(kernels.Mul, dst, x, y, more)
}

// Max computes the element-wise maximum of x, y and more. Only x and y may be dst.
func (w *Workspace) Max(dst, x, y Vec, more ...Vec) Vec {
	return w.fold(kernels.Max, dst, x, y, more)
}

func (w *Workspace) fold(op func(dst, x, y []float32), dst, x, y Vec, more []Vec) Vec {
	to := w.Vector(dst)
	op(to, w.Vector(x), w.Vector(y))
	for _, z := range more {
		op(to, to, w.Vector(z))
	}
	return dst
}

// Mix computes λ·x + (1−λ)·y.
func (w *Workspace) Mix(dst, x, y Vec) Vec {
	kernels.Mix(w.Vector(dst), w.Vector(x), w.Vector(y), w.settings.Lambda)
	return dst
}
