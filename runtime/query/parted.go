package query

import (
	"math"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
)

// On a part of a split model a plan runs as on a whole one: its vectors have the entities of
// the part, embeddings are the same on all ranks. These are the ops whose results depend on
// entities of other parts. They reduce their own entities first and exchange what that gives;
// all that decides which exchanges come next is global, so that the ranks stay together.

// gather returns what each rank has, in order; nothing after an error.
func (w *Workspace) gather(mine shares) []shares {
	w.exchanged[0] = mine
	return collective.Gather(w.Part.Group, w.exchanged[:])
}

// total returns the number of entities of which a vector has those of this part.
func (w *Workspace) total(x Vector) int {
	if w.Part != nil {
		return w.Part.Total
	}
	return len(x)
}

// fetchConstants brings the rows of the query's constants here.
func (w *Workspace) fetchConstants() {
	constants := w.bindings.Constants
	if len(constants) == 0 {
		return
	}
	width := len(w.scratch)
	ids, rows := make([]int32, len(constants)), make([]float32, len(constants)*width)
	for i, e := range constants {
		ids[i] = int32(e)
	}
	table := &w.model.Predictor.EntityTable
	w.Part.Embeddings(rows, ids, func(to []float32, row int32) { copy(to, table.Row(model.EntityID(row), to)) })
	for i, e := range constants {
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

// traverseOfPart is kernels.Traverse, in its order: each tail adds its heads as they ascend.
func (w *Workspace) traverseOfPart(dst, x Vector, r model.RelationID) {
	clear(dst)
	w.Part.EachLink(r, func(row int32) float32 { return x[row] }, func(value float32, _, tail int32) {
		dst[tail] += value
	})
}

// shares are what the parts of a softmax tell each other, and whether links are observed.
type shares struct {
	Top, Sum float64
	Linked   float64
}

// softmaxOfPart is kernels.Softmax. It returns the largest share, and whether an entry of
// links, which may be nil, is above 0.
func (w *Workspace) softmaxOfPart(dst, x, links Vector) (share float32, linked bool) {
	mine := shares{Top: float64(simd.Max(x))}
	if math.IsInf(mine.Top, -1) {
		clear(dst)
	} else {
		mine.Sum = float64(simd.ExpSum(dst, x, float32(mine.Top)))
	}
	if links != nil && w.notes.linked(links) {
		mine.Linked = 1
	}
	top, sum := math.Inf(-1), 0.0
	all := w.gather(mine)
	for _, s := range all {
		top = max(top, s.Top)
		linked = linked || s.Linked > 0
	}
	for _, s := range all {
		if s.Sum > 0 {
			sum += s.Sum * math.Exp(s.Top-top)
		}
	}
	if len(all) == 0 || math.IsInf(mine.Top, -1) {
		return float32(1 / sum), linked
	}
	simd.Scale(dst, dst, float32(math.Exp(mine.Top-top)/sum))
	return float32(1 / sum), linked
}

// normalizeOfPart is kernels.Normalize.
func (w *Workspace) normalizeOfPart(dst, x Vector) (before, after float32) {
	const block = 2048
	eps := float32(w.settings.Epsilon)
	mine := shares{Top: math.Inf(-1)}
	for lo := 0; lo < len(x); lo += block {
		part := x[lo:min(lo+block, len(x))]
		mine.Sum += float64(simd.SumAbove(part, eps))
		mine.Top = max(mine.Top, float64(simd.Max(part)))
	}
	top, sum := math.Inf(-1), 0.0
	for _, s := range w.gather(mine) {
		top, sum = max(top, s.Top), sum+s.Sum
	}
	by := 1 / max(float32(sum), eps)
	simd.ScaleAbove(dst, x, eps, by)
	if before = float32(top); before >= eps {
		after = before * by
	}
	return before, after
}

// messageOfPart is Message.
func (w *Workspace) messageOfPart(dst, scores, links Vector) Vector {
	share, linked := w.softmaxOfPart(dst, scores, links)
	kernels.Blend(dst, dst, links, w.settings.Weight)
	_, top := w.normalizeOfPart(dst, dst)
	w.notes.scaled(dst, w.notes.message(share, links, linked), top, w.Part.Total)
	return dst
}

// blendOfPart is what Blend notes.
func (w *Workspace) blendOfPart(linked bool, share, top float32) (bool, float32, float32) {
	most := [3]float32{share, top, 0}
	if linked {
		most[2] = 1
	}
	w.Part.Max(most[:])
	return most[2] > 0, most[0], most[1]
}

// scaleMaxOfPart is kernels.ScaleMax.
func (w *Workspace) scaleMaxOfPart(dst, x Vector) {
	top := [1]float32{simd.Max(x)}
	w.Part.Max(top[:])
	kernels.Divide(dst, x, top[0])
}

// scaleSumOfPart is kernels.ScaleSum.
func (w *Workspace) scaleSumOfPart(dst, x Vector) {
	sum := [1]float64{float64(simd.SumAbove(x, float32(math.Inf(-1))))}
	w.Part.Sum(sum[:])
	kernels.Divide(dst, x, float32(sum[0]))
}

// addParts adds the sums of a sweep over all parts.
func (s *Sweep) addParts() {
	if len(s.sums) == 0 {
		return
	}
	width := len(s.sums[0].dst)
	s.parts = grow(s.parts, len(s.sums)*width)
	for i := range s.sums {
		copy(s.parts[i*width:], s.sums[i].dst)
	}
	s.w.Part.Add(s.parts)
	for i := range s.sums {
		copy(s.sums[i].dst, s.parts[i*width:])
	}
}
