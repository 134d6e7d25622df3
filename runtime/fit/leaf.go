package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// leaf evaluates Leaf if the method is not exact.
func (w *work) leaf(s *Set) {
	rows := s.made.rows
	phi := float32(w.settings.Leaf)
	for b, u := range s.made.of.each {
		s.each[b] = none
		if !w.goesOn() {
			continue
		}
		switch {
		case !slices.ContainsFunc(rows, func(r *RowSet) bool { return !r.negated }):
			s.each[b] = w.rested(u, rows)
		case len(rows) > 1:
			s.each[b] = w.joint(u, rows)
		case u == all:
			s.each[b] = w.request.heads(rows[0].relation, phi)
		default:
			s.each[b] = w.leafOf(u, rows[0].relation, phi)
		}
	}
}

// joint returns the degrees to which entities have some value of u by several links at
// once: see worth; or rested, where no link leads.
func (w *work) joint(u *fuzzy, rows []*RowSet) *fuzzy {
	rest := w.rested(u, rows)
	a := &w.maximum
	a.start(w.n)
	for i, r := range rows {
		if r.negated || !w.goesOn() {
			continue
		}
		w.part.EachHead(w.model.Graph, r.relation, u.at, func(d float32, c int32, tails []int32) {
			for _, t := range tails {
				if d > rest.at(t) && !w.anyLinked(c, t, rows[:i]) {
					a.raise(t, w.worth(d, c, t, rows))
				}
			}
		})
	}
	for _, e := range rest.ids {
		if a.sum[e] == 0 {
			a.touched = append(a.touched, e)
		}
	}
	slices.Sort(a.touched)
	z := w.list(rest.rest, len(a.touched))
	for _, e := range a.touched {
		z.add(e, max(rest.at(e), a.sum[e]))
		a.sum[e] = 0
	}
	return w.trim(z)
}

// rested returns the degrees that a leaf gives entities that no observed link leads to: φ of each
// positive link of the largest degree, of another entity if they are to be unequal.
func (w *work) rested(u *fuzzy, rows []*RowSet) *fuzzy {
	d := w.constant(w.top(u))
	if apart(rows) {
		d = w.other(u)
	}
	for _, r := range rows {
		if !r.negated {
			d = w.mul(d, w.constant(float32(w.settings.Leaf)))
		}
	}
	return d
}

// anyLinked reports whether a link that is not negated is observed from c to t.
func (w *work) anyLinked(c, t int32, rows []*RowSet) bool {
	return slices.ContainsFunc(rows, func(r *RowSet) bool { return !r.negated && r.linked(w.model.Graph, w.part, c, t) })
}

// worth returns d, the degree of value c of a leaf, times the degrees of its links to t.
func (w *work) worth(d float32, c, t int32, rows []*RowSet) float32 {
	for _, r := range rows {
		d = w.norm.Both(d, w.leafLink(r, r.linked(w.model.Graph, w.part, c, t)))
	}
	return d
}

// leafLink is the degree of a link of a leaf: an observed one is true, and
// false if it is negated; others count as absent if they are negated, as φ if not.
func (w *work) leafLink(r *RowSet, has bool) float32 {
	switch {
	case r.unequal && has:
		return 0
	case r.negated && has:
		return negate(1, float32(w.settings.Negation))
	case r.negated || has:
		return 1
	}
	return float32(w.settings.Leaf)
}

// leafOf returns the degrees to which entities have some head of r out of x: by an
// observed link, or φ of the largest.
func (w *work) leafOf(x *fuzzy, r model.RelationID, phi float32) *fuzzy {
	rest := w.norm.Both(phi, w.top(x))
	w.maximum.start(w.n)
	w.part.EachTail(w.model.Graph, r, x.at, func(d float32, t int32) {
		if d > rest {
			w.maximum.raise(t, d)
		}
	})
	return w.touched(rest)
}
