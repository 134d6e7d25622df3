package plan

import (
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/drive"
)

// The ops here reduce the entries of all entities to a number, then map each entry by it. On a part of a split model,
// whose vectors cover the part's entities, the second half waits for the exchange of its level, which brings the
// numbers of the other parts. Whether there is an exchange depends only on values that all ranks share.

// beginPart starts a run on a part of a split model, alone if d is nil.
func (w *Workspace) beginPart(ctx context.Context, d *drive.Run) {
	root := w.model.part
	meet := root.Meet
	if d != nil {
		meet = d.Exchange
	}
	w.access = w.model.Access()
	w.sweep.reader.Start()
	w.BeginPart(ctx, d, root.Lane(meet))
	w.Workers = w.model.Pool()
}

// Exchange exchanges the numbers of the pending ops, and completes these. A plan for the parts of a split model calls
// it at the end of each level: see package pass of the compiler.
func (w *Workspace) Exchange() { w.Part.Exchange() }

// amount is the result of reducing entries: Sum·exp(Top).
type amount struct{ Top, Sum float64 }

// amounts returns the sum of the amounts of all parts.
func amounts(list []amount) amount {
	all := amount{Top: math.Inf(-1)}
	for _, a := range list {
		all.Top = max(all.Top, a.Top)
	}
	for _, a := range list {
		if a.Sum != 0 {
			all.Sum += a.Sum * math.Exp(a.Top-all.Top)
		}
	}
	return all
}

// reduction is an op in two halves: own is this part's share of the reduced number, all the total.
type reduction struct {
	w        *Workspace
	dst, x   Vector
	own, all amount
	entries  func(r reduction)
}

// run computes dst by entries, immediately on a whole model.
func (r reduction) run() {
	r.all = r.own
	if r.w.Part == nil {
		r.entries(r)
		return
	}
	r.later()
}

func (r reduction) later() {
	collective.GatherLater(r.w.Part.Group, []amount{r.own}, func(list []amount) {
		r.all = amounts(list)
		r.entries(r)
	})
}

// Softmax computes the softmax over the entities. Entries may be of any size, and −Inf, but not NaN; the largest is
// finite.
func (w *Workspace) Softmax(dst, x Vec) Vec {
	r := reduction{w: w, dst: w.Vector(dst), x: w.Vector(x), entries: shares}
	if top := simd.Max(r.x); top > float32(math.Inf(-1)) { // all of a part's entries may be −Inf
		r.own = amount{float64(top), float64(simd.ExpSum(r.dst, r.x, top))}
	} else {
		clear(r.dst)
		r.own.Top = math.Inf(-1)
	}
	r.run()
	return dst
}

func shares(r reduction) {
	if r.own.Sum > 0 {
		simd.Scale(r.dst, r.dst, float32(math.Exp(r.own.Top-r.all.Top)/r.all.Sum))
	}
}

// Normalize computes N(x) = x·1(x ≥ ε) / max(ε, Σ x·1(x ≥ ε)).
func (w *Workspace) Normalize(dst, x Vec) Vec {
	r := reduction{w: w, dst: w.Vector(dst), x: w.Vector(x), entries: cut}
	r.own.Sum = kernels.SumCut(r.x, float32(w.settings.Epsilon))
	r.run()
	return dst
}

func cut(r reduction) {
	eps := float32(r.w.settings.Epsilon)
	simd.ScaleAbove(r.dst, r.x, eps, 1/max(float32(r.all.Sum), eps))
}

// ScaleMax computes x divided by its largest entry, zeros if that is not positive.
func (w *Workspace) ScaleMax(dst, x Vec) Vec {
	r := reduction{w: w, dst: w.Vector(dst), x: w.Vector(x), entries: overTop}
	r.own.Top = float64(simd.Max(r.x))
	r.run()
	return dst
}

func overTop(r reduction) { kernels.Divide(r.dst, r.x, float32(r.all.Top)) }

// ScaleSum computes x divided by its sum, zeros if that is not positive.
func (w *Workspace) ScaleSum(dst, x Vec) Vec {
	r := reduction{w: w, dst: w.Vector(dst), x: w.Vector(x), entries: overSum}
	r.own.Sum = float64(simd.SumAbove(r.x, float32(math.Inf(-1))))
	r.run()
	return dst
}

func overSum(r reduction) { kernels.Divide(r.dst, r.x, float32(r.all.Sum)) }

// checkLater completes Correct for the sum over all parts, each corrected by its own factors: with the total, every
// rank knows whether to compute the sum anew.
func (w *Workspace) checkLater(dst Emb, x Vec, least float32) {
	to := w.Embedding(dst)
	sum := append(slices.Clone(to), least)
	w.Part.AddLater(sum)
	w.Part.Then(func() {
		copy(to, sum)
		if float64(sum[len(to)]) > size(to) {
			w.embed(dst, x)
			w.Part.AddLater(to)
		}
	})
}
