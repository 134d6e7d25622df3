package query

import (
	"slices"

	"github.com/efoc/efoc/kernels"
)

// The ops here combine fuzzy vectors: they read neither the table nor the graph.

// Complement computes α/n − x.
func (w *Workspace) Complement(dst, x Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.Complement(dst, x) }, dst, x)
		return dst
	}
	kernels.Complement(dst, x, w.settings.Alpha/float64(w.total(x)))
	return dst
}

// Elsewhere computes 1 − x: what an inequality says of its one term where x is the state
// of the other.
func (w *Workspace) Elsewhere(dst, x Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.Elsewhere(dst, x) }, dst, x)
		return dst
	}
	kernels.Complement(dst, x, 1)
	return dst
}

// Normalize computes N(x).
func (w *Workspace) Normalize(dst, x Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.Normalize(dst, x) }, dst, x).scales = &dst[0] == &x[0]
		return dst
	}
	if w.Part == nil {
		kernels.Normalize(dst, x, w.settings.Epsilon)
	} else {
		w.normalizeOfPart(dst, x)
	}
	return dst
}

// Blend computes 2(1−w)·x + 2w·y, which is x + y if w is ½.
func (w *Workspace) Blend(dst, x, y Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.Blend(dst, x, y) }, dst, x, y)
		return dst
	}
	kernels.Blend(dst, x, y, w.settings.Weight)
	return dst
}

// Message computes N(2(1−w)·softmax(scores) + 2w·links), the message of an atom to its receiver
// from scores and observed links. dst may be scores, but not links.
func (w *Workspace) Message(dst, scores, links Vector) Vector {
	if w.Part != nil {
		w.messageOfPart(dst, scores, links)
		return dst
	}
	kernels.Message(dst, scores, links, w.settings.Weight, w.settings.Epsilon)
	return dst
}

// Mul computes x ∘ y ∘ …. Only x and y may be dst.
func (w *Workspace) Mul(dst, x, y Vector, more ...Vector) Vector {
	if w.defersOps() {
		rest := slices.Clone(more)
		w.deferred.add(func() { w.Mul(dst, x, y, rest...) }, dst, append([]Vector{x, y}, rest...)...)
		return dst
	}
	kernels.Mul(dst, x, y)
	for _, z := range more {
		kernels.Mul(dst, dst, z)
	}
	return dst
}

// Mix computes λ·x + (1−λ)·y.
func (w *Workspace) Mix(dst, x, y Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.Mix(dst, x, y) }, dst, x, y)
		return dst
	}
	kernels.Mix(dst, x, y, w.settings.Lambda)
	return dst
}

// ScaleMax computes x divided by its largest entry.
func (w *Workspace) ScaleMax(dst, x Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.ScaleMax(dst, x) }, dst, x)
		return dst
	}
	if w.Part == nil {
		kernels.ScaleMax(dst, x)
	} else {
		w.scaleMaxOfPart(dst, x)
	}
	return dst
}

// ScaleSum computes x divided by its sum.
func (w *Workspace) ScaleSum(dst, x Vector) Vector {
	if w.defersOps() {
		w.deferred.add(func() { w.ScaleSum(dst, x) }, dst, x)
		return dst
	}
	if w.Part == nil {
		kernels.ScaleSum(dst, x)
	} else {
		w.scaleSumOfPart(dst, x)
	}
	return dst
}

// Max computes the element-wise maximum of x, y and more. Only x and y may be dst.
func (w *Workspace) Max(dst, x, y Vector, more ...Vector) Vector {
	if w.defersOps() {
		rest := slices.Clone(more)
		w.deferred.add(func() { w.Max(dst, x, y, rest...) }, dst, append([]Vector{x, y}, rest...)...)
		return dst
	}
	kernels.Max(dst, x, y)
	for _, z := range more {
		kernels.Max(dst, dst, z)
	}
	return dst
}
