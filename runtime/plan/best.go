package plan

import (
	"context"
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Best returns the k best entities of the answer, and setSize of each fuzzy set, over all parts of a split model. The
// answer's entities are valid until the workspace is reused.
func (w *Workspace) Best(k, setSize int) (r top.Ranking) {
	r.Answer = w.readout.best
	if r.Answer == nil {
		w.readout.room = top.Into(w.readout.room, w.answer, k)
		r.Answer = w.readout.room
	}
	if setSize > 0 {
		r.Sets = make([][]top.Ranked, len(w.sets))
		for i, set := range w.sets {
			if w.degrees != nil {
				w.degrees.Sharpen(set, w.ofSets[i], setSize)
			}
			r.Sets[i] = top.Of(set, setSize)
		}
	}
	if w.Part != nil {
		return w.bestOfParts(r, k, setSize)
	}
	return r
}

// bestOfParts merges the parts' rankings.
func (w *Workspace) bestOfParts(own top.Ranking, k, setSize int) (all top.Ranking) {
	w.Part.BestLater(own.Answer, k, func(best []top.Ranked) { all.Answer = best })
	all.Sets = make([][]top.Ranked, len(own.Sets))
	for i, set := range own.Sets {
		w.Part.BestLater(set, setSize, func(best []top.Ranked) { all.Sets[i] = best })
	}
	w.Part.Exchange()
	return all
}

// Descending yields all entities, best first: those that bounds have decided, then, on demand, the rest of the
// answer, which it computes then.
func (w *Workspace) Descending(ctx context.Context) iter.Seq[top.Ranked] {
	best := w.readout.best
	if best == nil {
		return top.Descending(w.answer)
	}
	return func(yield func(top.Ranked) bool) {
		seen := make(map[graph.EntityID]bool, len(best))
		for _, e := range best {
			seen[e.Entity] = true
			if !yield(e) {
				return
			}
		}
		for e := range top.Descending(w.whole(ctx)) {
			if !seen[e.Entity] && !yield(e) {
				return
			}
		}
	}
}

// Whole returns the answer and the fuzzy sets of all parts, on rank 0.
func (w *Workspace) Whole() (answer Vector, sets []Vector) {
	p := w.Part
	list := append([]Vector{w.answer}, w.sets...)
	from := make([][]float32, p.Size())
	to := make([][]float32, p.Size())
	to[0] = slices.Concat(list...)
	if p.Rank() == 0 {
		for i := range from {
			_, rows := graph.ShardRows(p.Entities, p.Size(), i)
			from[i] = make([]float32, rows*len(list))
		}
	}
	p.SwapLater(from, to)
	p.Exchange()
	all := make([]Vector, len(list))
	for _, x := range from {
		rows := len(x) / len(list)
		for k := range all {
			all[k] = append(all[k], x[k*rows:(k+1)*rows]...)
		}
	}
	return all[0], all[1:]
}
