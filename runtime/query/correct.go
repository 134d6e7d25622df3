package query

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// A sweep that scores the factors of a state can sum the rows before the state itself
// is known, with an estimate g of it (see Sweep.Estimate). Observed edges and the
// threshold of the normalisation then change the state at a few entities, and it is
// divided by its total: x = κ·g except at those. Instead of reading the whole table
// again, Correct adds the residual. For any κ and estimate g
//
//	Σ_e x[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (x[e] − κ·g[e])·E_e,
//
// and in the last sum only those rows have to be read where x[e] ≠ κ·g[e]. With the
// estimate g = (4, 2, 6, 8) and the state x = (0.2, 0.1, 0.5, 0.4), a sample agrees on
// κ = 0.05, and the residual is 0.2·E₂ alone.
//
// correct.go finds κ and adjusts the sum, residuals.go finds the residual. Where most
// rows differ, or where the rounding errors of the difference would show, the sum is
// computed anew in a pass over the table.

// Estimate is an embedding that a sweep summed, Σ_e g[e]·E_e, with the weights g.
type Estimate struct {
	Sum     Emb
	Weights Vec
}

// Correct computes Σ_e x[e]·E_e for a state x from one or two estimates of it. dst takes the
// buffer of the first one's sum.
func (w *Workspace) Correct(dst Emb, x Vec, estimates ...Estimate) Emb {
	switch {
	case w.Err() != nil:
	case w.Part != nil:
		w.correctOfPart(dst, x, estimates)
	case w.Batched():
		w.embedAll(dst, x)
	default:
		if c := w.corrected(dst, x, estimates); c != nil {
			c.check(dst, x)
		}
	}
	return dst
}

// corrected is Correct up to the residuals that were left out, of which it returns the correction;
// nil if there are none.
func (w *Workspace) corrected(dst Emb, of Vec, estimates []Estimate) *correction {
	var c *correction
	x, g := w.Vector(of), w.Vector(estimates[0].Weights)
	if len(estimates) == 1 {
		c = w.residuals(x, g, g, fitOne(x, g), 0)
	} else {
		h := w.Vector(estimates[1].Weights)
		k, l := fitTwo(x, g, h)
		c = w.residuals(x, g, h, k, l)
	}
	if !c.usable() {
		w.embed(dst, of)
		return nil
	}
	sum := w.Embedding(dst)
	simd.Scale(sum, sum, c.k)
	if len(estimates) > 1 {
		simd.ScaleAdd(sum, sum, c.l, w.Embedding(estimates[1].Sum))
	}
	c.add(sum)
	return c
}

// residuals sums the residual of x ≈ k·g + l·h.
func (w *Workspace) residuals(x, g, h Vector, k, l float32) *correction {
	c := &w.correction
	c.x, c.g, c.h, c.k, c.l = x, g, h, k, l
	c.relative, c.floor, c.left = relativeResidual, totalResidual/float32(w.total(x)), leftResidual
	if c.codes = w.sweep.pass.Coarse(); c.codes != nil {
		c.relative, c.floor, c.left = coarser*c.relative, coarser*c.floor, coarser*c.left
	}
	c.run(w)
	return c
}

// embed computes Σ_e x[e]·E_e from the rows where x is not 0 if they are few, which is
// the residual of the estimate 0, and otherwise in a pass over the table.
func (w *Workspace) embed(dst Emb, of Vec) {
	c, x := &w.correction, w.Vector(of)
	c.x, c.g, c.h, c.k, c.l = x, x, x, 0, 0
	c.relative, c.floor, c.codes = 0, 0, w.sweep.pass.Coarse()
	c.run(w)
	if c.crowded {
		w.embedAll(dst, of)
		return
	}
	sum := w.Embedding(dst)
	clear(sum)
	c.add(sum)
}

// embedAll computes Σ_e x[e]·E_e in a pass over the table, the part of it that is here.
func (w *Workspace) embedAll(dst Emb, x Vec) {
	sweep := w.Sweep()
	sweep.Embed(dst, x)
	if w.Err() == nil {
		sweep.runPass()
	}
}

// samples is the number of entities that a fit looks at.
const samples = 64

// sample is one of them.
type sample struct{ x, g, h float64 }

// take picks samples at even distances, except entities without a state or an
// estimate, which say nothing about κ and λ. h may be nil.
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

// consensus keeps the factors that most samples agree with.
type consensus struct {
	list  []sample
	k, l  float64
	count int // of samples that agree, -1 before the first proposal
}

// propose counts the samples that k·g + l·h explains: the inliers of k and l.
func (c *consensus) propose(k, l float64) {
	n := 0
	for _, s := range c.list {
		if math.Abs(s.x-k*s.g-l*s.h) <= relativeResidual*s.x {
			n++
		}
	}
	if n > c.count {
		c.k, c.l, c.count = k, l, n
	}
}

// fitOne returns the κ for which κ·g explains most samples, 0 if there are none. It is
// RANSAC (Fischler and Bolles, 1981) that tries every sample in turn, not random ones:
// each proposes the κ that explains it exactly. Least squares would spoil κ for
// all entities for the sake of the few that differ.
func fitOne(x, g Vector) float32 {
	var room [samples]sample
	c := consensus{list: take(&room, x, g, nil), count: -1}
	for _, s := range c.list {
		c.propose(s.x/s.g, 0)
	}
	return finite(c.k)
}

// fitTwo is fitOne for κ and λ with κ·g + λ·h: RANSAC on pairs of samples, each of which
// proposes the solution of its two equations
//
//	κ·s.g + λ·s.h = s.x
//	κ·t.g + λ·t.h = t.x
//
// by Cramer's rule, unless they are nearly dependent: g/h about the same in both.
func fitTwo(x, g, h Vector) (k, l float32) {
	var room [samples]sample
	c := consensus{list: take(&room, x, g, h), count: -1}
	for i, s := range c.list {
		for _, step := range []int{1, 7, 23} {
			t := c.list[(i+step)%len(c.list)]
			det := s.g*t.h - t.g*s.h
			if math.Abs(det) > 1e-3*math.Abs(s.g*t.h) {
				c.propose((s.x*t.h-t.x*s.h)/det, (s.g*t.x-t.g*s.x)/det)
			}
		}
	}
	return finite(c.k), finite(c.l)
}

// finite returns k as a float32, 0 if that is not finite.
func finite(k float64) float32 {
	if f := float32(k); !math.IsInf(float64(f), 0) && f == f {
		return f
	}
	return 0
}
