package query

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
)

// Best returns the k best entities of the answer, and setSize of each fuzzy set; those of all
// parts, if the workspace has one.
func (w *Workspace) Best(k, setSize int) rank.Ranking {
	wanted, counts := []Vector{w.answer}, []int{k}
	if setSize > 0 {
		for _, set := range w.sets {
			wanted, counts = append(wanted, set), append(counts, setSize)
		}
	}
	if w.Part != nil {
		best := w.bestOfParts(wanted, counts)
		return rank.Ranking{Answer: best[0], Sets: best[1:]}
	}
	r := rank.Ranking{Answer: w.readout.best}
	if r.Answer == nil {
		r.Answer = rank.Top(w.answer, k)
	}
	for _, set := range wanted[1:] {
		r.Sets = append(r.Sets, rank.Top(set, setSize))
	}
	return r
}

// Descending yields all entities, best first: those that bounds have decided on, and if
// more are asked for, the rest of the whole answer, which is computed then.
func (w *Workspace) Descending(ctx context.Context) iter.Seq[rank.Ranked] {
	best := w.readout.best
	if best == nil {
		return rank.Descending(w.answer)
	}
	return func(yield func(rank.Ranked) bool) {
		seen := make(map[model.EntityID]bool, len(best))
		for _, e := range best {
			if seen[e.Entity] = true; !yield(e) {
				return
			}
		}
		for e := range rank.Descending(w.whole(ctx)) {
			if !seen[e.Entity] && !yield(e) {
				return
			}
		}
	}
}

// Whole returns the answer and the fuzzy sets of all parts, on rank 0.
func (w *Workspace) Whole() (answer Vector, sets []Vector) {
	p, list := w.Part, append([]Vector{w.answer}, w.sets...)
	from, to := make([][]float32, p.Size()), make([][]float32, p.Size())
	to[0] = slices.Concat(list...)
	if p.Rank() == 0 {
		for i := range from {
			_, rows := model.ShardRows(p.Total, p.Size(), i)
			from[i] = make([]float32, rows*len(list))
		}
	}
	all := make([]Vector, len(list))
	if !p.Swap(from, to) || p.Rank() != 0 {
		return nil, all[1:]
	}
	for k := range all {
		for i := range from {
			_, rows := model.ShardRows(p.Total, p.Size(), i)
			all[k] = append(all[k], from[i][k*rows:(k+1)*rows]...)
		}
	}
	return all[0], all[1:]
}

// bestOfParts returns some number of the best entities of each vector, ties in order of id.
func (w *Workspace) bestOfParts(list []Vector, counts []int) [][]rank.Ranked {
	p := w.Part
	var mine []rank.Ranked
	for k, x := range list {
		counts[k] = min(counts[k], p.Total)
		top := rank.Top(x, counts[k])
		for i := range counts[k] {
			r := rank.Ranked{Entity: -1}
			if i < len(top) {
				r = rank.Ranked{Entity: top[i].Entity + model.EntityID(p.First), Score: top[i].Score}
			}
			mine = append(mine, r)
		}
	}
	all, best := collective.Gather(p.Group, mine), make([][]rank.Ranked, len(list))
	if all == nil {
		return best
	}
	at := 0
	for k := range best {
		for i := at; i < len(all); i += len(mine) {
			best[k] = append(best[k], all[i:i+counts[k]]...)
		}
		at += counts[k]
		best[k] = slices.DeleteFunc(best[k], func(r rank.Ranked) bool { return r.Entity < 0 })
		slices.SortFunc(best[k], func(a, b rank.Ranked) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entity, b.Entity))
		})
		best[k] = best[k][:min(counts[k], len(best[k]))]
	}
	return best
}
