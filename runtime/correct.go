package runtime

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// Correct turns dst = Σ_e g[e]·E_e, which a sweep summed for a guess g, into
// Σ_e x[e]·E_e for the state x. For any κ
//
//	Σ_e x[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (x[e] − κ·g[e])·E_e,
//
// so only the rows are read where x is not κ·g. κ is fitted on a sample. Should
// most rows differ, the sum is taken anew.
func (w *Workspace) Correct(dst Embedding, x, g Vector) Embedding {
	if w.Err() != nil {
		return dst
	}
	if w.batch != nil {
		w.embedAll(dst, x)
		return dst
	}
	c := w.residuals(x, g, g, fitOne(x, g), 0)
	if !c.good() {
		w.embed(dst, x)
		return dst
	}
	simd.Scale(dst, dst, c.k)
	c.add(dst)
	c.check(dst)
	return dst
}

// Correct2 does with two guesses, g and h, what Correct does with one: it turns
// dst and with, the sums for them, into Σ_e x[e]·E_e in dst.
func (w *Workspace) Correct2(dst Embedding, x, g Vector, with Embedding, h Vector) Embedding {
	if w.Err() != nil {
		return dst
	}
	if w.batch != nil {
		w.embedAll(dst, x)
		return dst
	}
	k, l := fitTwo(x, g, h)
	c := w.residuals(x, g, h, k, l)
	if !c.good() {
		w.embed(dst, x)
		return dst
	}
	simd.Scale(dst, dst, k)
	simd.ScaleAdd(dst, dst, l, with)
	c.add(dst)
	c.check(dst)
	return dst
}

// residuals sums the rows where x differs from k·g + l·h.
func (w *Workspace) residuals(x, g, h Vector, k, l float32) *correction {
	c := &w.correction
	c.x, c.g, c.h, c.k, c.l = x, g, h, k, l
	c.relative, c.floor = relativeResidual, totalResidual/float32(len(x))
	c.run(w)
	return c
}

// embed computes Σ_e x[e]·E_e from the rows where x is not 0, if they are few,
// and otherwise in a pass over the table.
func (w *Workspace) embed(dst Embedding, x Vector) {
	c := &w.correction
	c.x, c.g, c.h, c.k, c.l = x, x, x, 0, 0
	c.relative, c.floor = 0, 0
	c.run(w)
	if c.crowded {
		w.embedAll(dst, x)
		return
	}
	clear(dst)
	c.add(dst)
}

// embedAll computes Σ_e x[e]·E_e in a pass over the table.
func (w *Workspace) embedAll(dst Embedding, x Vector) {
	sweep := w.Sweep()
	sweep.Embed(dst, x)
	sweep.Run()
}

// samples is how many entities a fit looks at.
const samples = 64

// sample is one of them.
type sample struct{ x, g, h float64 }

// take picks samples at even distances; entities without a state or a guess tell
// nothing. h may be nil.
func take(into *[samples]sample, x, g, h Vector) []sample {
	found := into[:0]
	for i := range samples {
		e := i * len(x) / samples
		s := sample{x: float64(x[e]), g: float64(g[e])}
		if h != nil {
			s.h = float64(h[e])
		}
		if s.x > 0 && s.g+s.h > 1e-30 {
			found = append(found, s)
		}
	}
	return found
}

// agree returns how many samples k·g + l·h explains.
func agree(list []sample, k, l float64) int {
	n := 0
	for _, s := range list {
		if math.Abs(s.x-k*s.g-l*s.h) <= relativeResidual*s.x {
			n++
		}
	}
	return n
}

// fitOne returns the κ with which κ·g explains most samples, 0 if there are none.
func fitOne(x, g Vector) float32 {
	var room [samples]sample
	list := take(&room, x, g, nil)
	best, bestAgree := 0.0, -1
	for _, s := range list {
		if n := agree(list, s.x/s.g, 0); n > bestAgree {
			best, bestAgree = s.x/s.g, n
		}
	}
	return finite(best)
}

// fitTwo returns the κ and λ with which κ·g + λ·h explains most samples. Each
// pair of samples, far apart in g/h where possible, proposes one.
func fitTwo(x, g, h Vector) (k, l float32) {
	var room [samples]sample
	list := take(&room, x, g, h)
	bestK, bestL, bestAgree := 0.0, 0.0, -1
	for i, s := range list {
		for _, step := range []int{1, 7, 23} {
			t := list[(i+step)%len(list)]
			det := s.g*t.h - t.g*s.h
			if math.Abs(det) <= 1e-3*math.Abs(s.g*t.h) {
				continue
			}
			a, b := (s.x*t.h-t.x*s.h)/det, (s.g*t.x-t.g*s.x)/det
			if n := agree(list, a, b); n > bestAgree {
				bestK, bestL, bestAgree = a, b, n
			}
		}
	}
	return finite(bestK), finite(bestL)
}

// finite returns k as a float32, 0 if it is not finite as one.
func finite(k float64) float32 {
	if f := float32(k); !math.IsInf(float64(f), 0) && f == f {
		return f
	}
	return 0
}
