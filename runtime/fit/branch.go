package fit

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// maxBranches bounds, per K, the combinations of values of a cutset of several variables if the method is not exact.
// A single variable keeps all its values.
const maxBranches = 64

// split evaluates Branch.
func (w *work) split(b *Branches) {
	x := b.of
	top := b.top
	from := b.from
	list := w.branches[:0]
	values := len(top.ids)
	all := w.arena.Floats.Take((len(x.each) + 1 + len(b.rows)) * values)
	degrees := all[:len(x.each)*values]
	leads := all[len(x.each)*values:]
	w.ownDegrees(degrees, top.ids, x.each)
	countLinks(leads, values, b.rows)
	w.part.Add(all)
	leading(leads, top)
	for p, weight := range from.weights {
		own := degrees[min(p, len(x.each)-1)*values:]
		for i := range top.ids {
			if d := w.arena.Norm.Both(weight, own[i]); d > 0 && leads[i] > 0 {
				list = append(list, branch{int32(p), int32(i), d})
			}
		}
	}
	w.branches = list
	if limit := max(maxBranches*w.settings.Candidates, values); len(list) > limit && !w.exact() {
		slices.SortStableFunc(list, func(a, b branch) int { return cmp.Compare(b.weight, a.weight) })
		list = list[:limit]
	}
	b.weights, b.parents, b.values = w.arena.Floats.Take(len(list)), w.arena.Ints.Take(len(list)), w.arena.Ints.Take(len(list))
	for i, x := range list {
		b.weights[i] = x.weight
		b.parents[i] = x.parent
		b.values[i] = x.value
	}
}

// countLinks sets dst to 1 for each candidate, followed, for each of the rows, by 1 for each candidate with an
// observed link in this part, or for all if the atom is negated.
func countLinks(dst []float32, candidates int, rows []*AtomRows) {
	for i := range dst {
		dst[i] = 1
	}
	for j, r := range rows {
		for i, x := range r.each {
			if !r.negated && x.Empty() {
				dst[(1+j)*candidates+i] = 0
			}
		}
	}
}

// leading sets the first number of each candidate to 0 if it leads nowhere: it has no rows of its own, and lacks a
// link by some of the rows. links are the sums of countLinks over all parts.
func leading(links []float32, top *Candidates) {
	leads := links[:len(top.ids)]
	for rest := links[len(leads):]; len(rest) > 0; rest = rest[len(leads):] {
		simd.Mul(leads, leads, rest[:len(leads)])
	}
	for _, i := range top.withRows {
		leads[i] = 1
	}
}

// rowsOfValues evaluates Each.
func (w *work) rowsOfValues(s *Set, partly bool) {
	values := s.made.branches.values
	w.eachBranch(s, len(values), partly, func(b int) *fuzzy.Set { return w.product(s.made.rows, values[b]) })
}

// ofParents evaluates Follow.
func (w *work) ofParents(s *Set, partly bool) {
	parents := s.made.branches.parents
	w.eachBranch(s, len(parents), partly, func(b int) *fuzzy.Set { return s.made.of.branch(int(parents[b])) })
}

// overBranches evaluates Join.
func (w *work) overBranches(s *Set) {
	b := s.made.branches
	w.arena.Maximum.Start(w.arena.N)
	list := s.made.of.each
	weights := b.weights
	if len(list) == 1 && len(weights) > 1 { // one set for all branches
		weights = w.arena.Floats.Take(1)
		weights[0] = slices.Max(b.weights)
	}
	list = list[:min(len(list), len(weights))]
	s.each = w.arena.Each.Take(1)
	s.each[0] = w.arena.FoldMax(list, weights, w.arena.Offer(list, weights))
}
