package query

import (
	"context"
	"math"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/drive"
	"github.com/efoc/efoc/runtime/model"
)

// On a part of a split model a plan runs as on a whole one: its vectors have the entities of
// the part, embeddings are the same on all ranks. These are the ops whose results depend on
// entities of other parts. They reduce their own entities first and exchange what that gives;
// all that decides which exchanges come next is global, so that the ranks stay together.
// exchange.go says when that is made.

// beginPart starts a run, alone if d is nil.
func (w *Workspace) beginPart(ctx context.Context, d *drive.Query) {
	root := w.model.part
	w.sweep.pass.Start()
	if w.later.meet = root.Meet; d != nil {
		w.later.meet = d.Exchange
	}
	w.BeginPart(ctx, d, root.Lane(w.later.exchange))
}

// gather returns what each rank has, in order; nothing after an error.
func (w *Workspace) gather(mine shares) []shares {
	return collective.Gather(w.Part.Group, []shares{mine})
}

// total returns the number of entities of which a vector has those of this part.
func (w *Workspace) total(x Vector) int {
	if w.Part != nil {
		return w.Part.Total
	}
	return len(x)
}

// setConstants sets the rows of the query's constants, one behind the other.
func (w *Workspace) setConstants(rows []float32) {
	width := 2 * w.model.Predictor.Rank
	for i, e := range w.bindings.Constants {
		w.constants[i].entity = e
		copy(w.constants[i].row, rows[i*width:])
	}
}

// loopsOfPart is kernels.Loops.
func (w *Workspace) loopsOfPart(dst Vector, heads, tails []int32) {
	clear(dst)
	for i, h := range heads {
		if t := tails[i]; int(h) == int(t)+w.Part.First {
			dst[t] = 1
		}
	}
}

// traverseOfPart is kernels.Traverse: each tail adds its heads as they ascend, or the sums of
// heads of each part.
func (w *Workspace) traverseOfPart(dst, x Vector, r model.RelationID) {
	w.Later(func() {
		values := w.Part.Reach(r, false, func(row int32) float32 { return x[row] })
		clear(dst)
		values.Each(func(value float32, tail int32) { dst[tail] += value })
	})
}

// shares are what the parts of a softmax tell each other.
type shares struct{ Top, Sum float64 }

// softmaxOfPart is kernels.Softmax.
func (w *Workspace) softmaxOfPart(dst, x Vector) {
	mine := shares{Top: float64(simd.Max(x))}
	if math.IsInf(mine.Top, -1) {
		clear(dst)
	} else {
		mine.Sum = float64(simd.ExpSum(dst, x, float32(mine.Top)))
	}
	w.Later(func() {
		top, sum := math.Inf(-1), 0.0
		all := w.gather(mine)
		for _, s := range all {
			top = max(top, s.Top)
		}
		for _, s := range all {
			if s.Sum > 0 {
				sum += s.Sum * math.Exp(s.Top-top)
			}
		}
		if len(all) > 0 && !math.IsInf(mine.Top, -1) {
			simd.Scale(dst, dst, float32(math.Exp(mine.Top-top)/sum))
		}
	})
}

// normalizeOfPart is kernels.Normalize.
func (w *Workspace) normalizeOfPart(dst, x Vector) {
	const block = 2048
	eps := float32(w.settings.Epsilon)
	sum := 0.0
	for lo := 0; lo < len(x); lo += block {
		sum += float64(simd.SumAbove(x[lo:min(lo+block, len(x))], eps))
	}
	w.Later(func() {
		total := 0.0
		for _, s := range w.gather(shares{Sum: sum}) {
			total += s.Sum
		}
		simd.ScaleAbove(dst, x, eps, 1/max(float32(total), eps))
	})
}

// scaleMaxOfPart is kernels.ScaleMax.
func (w *Workspace) scaleMaxOfPart(dst, x Vector) {
	top := [1]float32{simd.Max(x)}
	w.Later(func() {
		w.Part.Max(top[:])
		kernels.Divide(dst, x, top[0])
	})
}

// scaleSumOfPart is kernels.ScaleSum.
func (w *Workspace) scaleSumOfPart(dst, x Vector) {
	sum := [1]float64{float64(simd.SumAbove(x, float32(math.Inf(-1))))}
	w.Later(func() {
		w.Part.Sum(sum[:])
		kernels.Divide(dst, x, float32(sum[0]))
	})
}

// correctOfPart is Correct. Each rank corrects its own sum, by its own factors of the estimates;
// whether what all of them leave out may show in the result, and the sum is to be computed anew,
// they know when they have added it up.
func (w *Workspace) correctOfPart(dst Emb, x Vec, estimates []Estimate) {
	to := w.Embedding(dst)
	sum := make([]float32, len(to)+1) // and how long it must be at least
	if w.Batched() {
		w.embedAll(dst, x)
	} else {
		sum[len(to)] = float32(w.corrected(dst, x, estimates))
	}
	copy(sum, to)
	w.Later(func() {
		w.Part.Add(sum)
		if float64(sum[len(to)]) > size(sum[:len(to)]) {
			w.embed(dst, x)
			copy(sum, to)
			w.Part.Add(sum[:len(to)])
		}
		copy(to, sum)
	})
}
