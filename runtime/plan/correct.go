package plan

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/sweep"
)

// A sweep that scores the factors of a state can sum the rows before the state itself is known, with an estimate g of
// it (see Sweep.Estimate). Observed edges and the threshold of the normalisation then change the state at a few
// entities, and normalisation divides it by its total: x = κ·g elsewhere. Instead of reading the whole table again,
// Correct adds the residual. For any κ and estimate g
//
//	Σ_e x[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (x[e] − κ·g[e])·E_e,
//
// and the last sum needs only the rows where x[e] ≠ κ·g[e]. With the estimate g = (4, 2, 6, 8) and the state x =
// (0.2, 0.1, 0.5, 0.4), a sample agrees on κ = 0.05, and the residual is 0.2·E₂.
//
// correct.go finds κ, package sweep the residual. If most rows differ, or if rounding errors of the difference would
// show, the sum is computed anew.

// Estimate is an embedding that a sweep summed, Σ_e g[e]·E_e, with the weights g.
type Estimate struct {
	Sum     Emb
	Weights Vec
}

// Correct computes Σ_e x[e]·E_e for a state x from one or two estimates of it. dst reuses the buffer of the first
// one's sum.
func (w *Workspace) Correct(dst Emb, x Vec, estimates ...Estimate) Emb {
	if w.Err() != nil {
		return dst
	}
	least := 0.0
	if w.sumsLater() {
		w.embedAll(dst, x)
	} else {
		least = w.corrected(dst, x, estimates)
	}
	switch {
	case w.Part != nil:
		w.checkLater(dst, x, float32(least))
	case least > size(w.Embedding(dst)):
		w.embed(dst, x)
	}
	return dst
}

// sumsLater reports whether a separate sweep sums the rows of a state once it is known: if the cache holds the table,
// and in a batch, whose queries share that sweep.
func (w *Workspace) sumsLater() bool { return w.Batched() || !w.access.Estimates }

// corrected is Correct without the rows that the residual omits. It returns the length above which the result makes
// these negligible.
func (w *Workspace) corrected(dst Emb, x Vec, estimates []Estimate) float64 {
	r := w.residualOf(x)
	r.G = w.Vector(estimates[0].Weights)
	r.H = r.X
	if len(estimates) > 1 {
		r.H = w.Vector(estimates[1].Weights)
		r.K, r.L = fitFactors(r.X, r.G, r.H)
	} else {
		r.K, r.L = fitFactors(r.X, r.G, nil)
	}
	r.Find(w.model.Model, w.Workers)
	if !r.Usable() {
		w.embed(dst, x)
		return 0
	}
	sum := w.Embedding(dst)
	simd.Scale(sum, sum, r.K)
	if len(estimates) > 1 {
		simd.ScaleAdd(sum, sum, r.L, w.Embedding(estimates[1].Sum))
	}
	r.AddTo(sum)
	return r.Least()
}

// residualOf begins the residual of a sum of rows with the weights x.
func (w *Workspace) residualOf(x Vec) *sweep.Residual {
	r := &w.residual
	r.X, r.Coarse, r.Large = w.Vector(x), w.sweep.reader.Coarse(), nil
	r.Total = w.Part.Total(len(r.X))
	if r.Coarse != nil {
		r.Large = w.sweep.again.Largest(r.X, rereadState, rereadMost)
	}
	return r
}

// embed computes Σ_e x[e]·E_e: if few x are nonzero, from their rows, as the residual of the estimate 0; otherwise in
// a sweep of the table.
func (w *Workspace) embed(dst Emb, x Vec) {
	r := w.residualOf(x)
	r.G = r.X
	r.H = r.X
	r.K = 0
	r.L = 0
	r.Find(w.model.Model, w.Workers)
	if !r.Usable() {
		w.embedAll(dst, x)
		return
	}
	sum := w.Embedding(dst)
	clear(sum)
	r.AddTo(sum)
}

// embedAll computes Σ_e x[e]·E_e over this process's part of the table in a sweep.
func (w *Workspace) embedAll(dst Emb, x Vec) {
	sweep := w.Sweep()
	sweep.Embed(dst, x)
	if w.Err() == nil {
		sweep.runSweep()
	}
}

// samples is the number of entities that fitFactors examines; agree is the tolerance for explaining one, and enough the
// share of them that ends the search once explained.
const (
	samples = 64
	agree   = 2e-6
	enough  = 0.9
)

// sample is one of them.
type sample struct{ x, g, h float64 }

// take picks samples at even distances. It skips entities without a state or an estimate, which say nothing about κ
// and λ. h may be nil.
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

// fitFactors returns the κ and λ for which κ·g + λ·h explains most samples of x, 0 if there are none. It is RANSAC
// (Fischler and Bolles, 1981), but tries every sample s in turn instead of random ones. Least squares would let the
// few differing entities spoil κ for all. Without h, s proposes the κ that explains it exactly; with h, s and another
// sample t propose the solution of
//
//	κ·s.g + λ·s.h = s.x
//	κ·t.g + λ·t.h = t.x
//
// by Cramer's rule, unless these are nearly dependent: g/h about the same in both.
func fitFactors(x, g, h Vector) (k, l float32) {
	var room [samples]sample
	list := take(&room, x, g, h)
	best := -1
	propose := func(a, b float64) {
		count := 0
		for _, s := range list {
			if math.Abs(s.x-a*s.g-b*s.h) <= agree*s.x {
				count++
			}
		}
		if count > best {
			k, l, best = finite(a), finite(b), count
		}
	}
	for i, s := range list {
		if float64(best) >= enough*float64(len(list)) {
			break
		}
		if h == nil {
			propose(s.x/s.g, 0)
			continue
		}
		for _, step := range []int{1, 7, 23} {
			t := list[(i+step)%len(list)]
			det := s.g*t.h - t.g*s.h
			if math.Abs(det) > 1e-3*math.Abs(s.g*t.h) {
				propose((s.x*t.h-t.x*s.h)/det, (s.g*t.x-t.g*s.x)/det)
			}
		}
	}
	return k, l
}

// finite returns k as a float32, 0 if that is not finite.
func finite(k float64) float32 {
	if f := float32(k); !math.IsInf(float64(f), 0) && f == f {
		return f
	}
	return 0
}
