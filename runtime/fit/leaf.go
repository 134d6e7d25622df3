package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// leaf evaluates Leaf if the method is not exact.
func (w *work) leaf(s *Set) {
	rows := s.made.rows
	phi := float32(w.settings.Leaf)
	for b, u := range s.made.of.each {
		s.each[b] = fuzzy.None
		if !w.goesOn() {
			continue
		}
		switch {
		case !slices.ContainsFunc(rows, func(r *AtomRows) bool { return !r.negated }):
			s.each[b] = w.rested(u, rows)
		case len(rows) > 1:
			s.each[b] = w.joint(u, rows)
		case w.everything(u):
			s.each[b] = w.request.Heads(rows[0].relation, phi)
		default:
			s.each[b] = w.leafOf(u, rows[0].relation, phi)
		}
	}
}

// joint returns, for each entity, its rested degree, or if larger the best product for a value of u with a link to
// it: see worth.
func (w *work) joint(u *fuzzy.Set, rows []*AtomRows) *fuzzy.Set {
	rest := w.rested(u, rows)
	a := &w.arena.Maximum
	a.Start(w.arena.N)
	for i, r := range rows {
		if r.negated || !w.goesOn() {
			continue
		}
		w.part.EachHead(w.model.Graph, r.relation, u.At, func(d float32, c int32, tails []int32) {
			for _, t := range tails {
				if d > rest.At(t) && !w.anyLinked(c, t, rows[:i]) {
					a.Raise(t, w.worth(d, c, t, rows))
				}
			}
		})
	}
	for _, e := range rest.IDs {
		if a.Sum[e] == 0 {
			a.Touched = append(a.Touched, e)
		}
	}
	slices.Sort(a.Touched)
	z := w.arena.List(rest.Rest, len(a.Touched))
	for _, e := range a.Touched {
		z.Add(e, max(rest.At(e), a.Sum[e]))
		a.Sum[e] = 0
	}
	return w.arena.Trim(z)
}

// rested returns the degrees that a leaf gives entities without observed links: φ of each positive link, times the
// largest degree, or under an inequality the largest of another entity.
func (w *work) rested(u *fuzzy.Set, rows []*AtomRows) *fuzzy.Set {
	d := w.arena.Constant(w.top(u))
	if apart(rows) {
		d = w.other(u)
	}
	for _, r := range rows {
		if !r.negated {
			d = w.arena.Mul(d, w.arena.Constant(float32(w.settings.Leaf)))
		}
	}
	return d
}

// anyLinked reports whether a positive link from c to t is observed.
func (w *work) anyLinked(c, t int32, rows []*AtomRows) bool {
	return slices.ContainsFunc(rows, func(r *AtomRows) bool { return !r.negated && r.linked(w.model.Graph, w.part, c, t) })
}

// worth returns d, the degree of value c of a leaf, times the degrees of its links to t.
func (w *work) worth(d float32, c, t int32, rows []*AtomRows) float32 {
	for _, r := range rows {
		d = w.arena.Norm.Both(d, w.leafLink(r, r.linked(w.model.Graph, w.part, c, t)))
	}
	return d
}

// leafLink is the degree of a link of a leaf. An observed link is true, and false if negated; any other has degree φ,
// and counts as absent if negated.
func (w *work) leafLink(r *AtomRows, has bool) float32 {
	switch {
	case r.unequal && has:
		return 0
	case r.negated && has:
		return fuzzy.Negate(1, float32(w.settings.Negation))
	case r.negated || has:
		return 1
	}
	return float32(w.settings.Leaf)
}

// leafOf returns the degrees to which entities have some head of r out of x: by an observed link, or φ times the
// largest.
func (w *work) leafOf(x *fuzzy.Set, r graph.RelationID, phi float32) *fuzzy.Set {
	rest := w.arena.Norm.Both(phi, w.top(x))
	w.arena.Maximum.Start(w.arena.N)
	w.part.EachTail(w.model.Graph, r, x.At, func(d float32, t int32) {
		if d > rest {
			w.arena.Maximum.Raise(t, d)
		}
	})
	return w.arena.Touched(rest)
}
