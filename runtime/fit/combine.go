package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// multiply evaluates Times.
func (w *work) multiply(s *Set, partly bool) {
	x := s.made.with
	branches := 1
	for _, y := range x {
		branches = max(branches, len(y.each))
		if len(y.each) == 0 {
			branches = 0
			break
		}
	}
	w.eachBranch(s, branches, partly, func(b int) *fuzzy.Set {
		z := x[0].branch(b)
		for _, y := range x[1:] {
			z = w.arena.Mul(z, y.branch(b))
		}
		return z
	})
}

// unite evaluates Either.
func (w *work) unite(s *Set) {
	x := s.made.with
	z := x[0].single()
	for _, y := range x[1:] {
		z = w.arena.Either(z, y.single())
	}
	s.each = w.arena.Each.Take(1)
	s.each[0] = z
}

// diagonal evaluates Diagonal.
func (w *work) diagonal(s *Set) {
	rows := s.made.rows[0]
	places := w.arena.Ints.Take(len(rows.top.ids))[:0] // index into candidates by id
	for i, e := range rows.top.ids {
		if _, mine := w.part.Local(e); mine {
			places = append(places, int32(i))
		}
	}
	slices.SortFunc(places, func(i, j int32) int { return int(rows.top.ids[i]) - int(rows.top.ids[j]) })
	ids := w.arena.Ints.Take(len(places))
	for i, p := range places {
		ids[i], _ = w.part.Local(rows.top.ids[p])
	}
	nu := float32(w.settings.Negation)
	none := float32(0)
	one := float32(1)
	if rows.negated {
		none = 1
		one = fuzzy.Negate(1, nu)
	}
	heads, tails := w.model.Graph.Edges(rows.relation)
	z := w.arena.List(none, len(ids)+len(heads))
	next := 0
	upTo := func(e int32) { // candidates below e
		for ; next < len(ids) && ids[next] < e; next++ {
			z.Add(ids[next], rows.each[places[next]].At(ids[next]))
		}
	}
	for j, h := range heads {
		if h != w.part.Global(tails[j]) {
			continue
		}
		h = tails[j]
		upTo(h)
		if next < len(ids) && ids[next] == h {
			next++
		}
		z.Add(h, one)
	}
	upTo(int32(w.arena.N))
	s.each[0] = w.arena.Trim(z)
}
