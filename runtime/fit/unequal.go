package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Except holds every entity but one to degree 1, as x != e requires of x, or each to the degree to which it
// meets the filter that e stands for.
func (m *Machine) Except(e model.EntityID) *Set {
	s := m.set(1, origin{op: anything})
	if f := m.bindings.Filter(e); f != nil {
		s.each[0] = m.selected(f)
	} else {
		s.each[0] = m.except(int32(e))
	}
	return s
}

// selected holds the entities that have a value to 1 or 0, as they meet a filter, and others to its
// degree of unknown ones.
func (m *Machine) selected(f *model.Selection) *fuzzy {
	if crowded(f.Values(), m.n) {
		x := m.dense(f.Unknown(), m.n)
		for e := range x.full {
			x.full[e] = x.rest
		}
		for e, holds := range f.Each {
			x.full[e] = 0
			if holds {
				x.full[e] = 1
			}
		}
		return x
	}
	x := m.list(f.Unknown(), f.Values())
	for e, holds := range f.Each {
		degree := float32(0)
		if holds {
			degree = 1
		}
		x.add(e, degree)
	}
	return m.trim(x)
}

// except is 1 everywhere but at e.
func (m *Machine) except(e int32) *fuzzy {
	x := m.list(1, 1)
	if row, mine := m.run.Part.Local(e); mine {
		x.add(row, 0)
	}
	return m.trim(x)
}

// Others are the rows of candidates under an inequality, an atom of negated identity:
// degree 1 for all entities but the candidate.
func (m *Machine) Others(top *Candidates) *RowSet {
	m.now()
	x := m.arena.rows.one()
	*x = RowSet{top: top, negated: true, unequal: true, each: m.arena.each.take(len(top.ids))}
	for i, e := range top.ids {
		x.each[i] = m.except(e)
	}
	return x
}

// Other holds each entity to the largest degree that another entity has in x: Push of a
// variable along an inequality alone, for all its values at once.
func (m *Machine) Other(variable int, x *Set) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: other, index: variable, of: x})
	for b, u := range x.each {
		s.each[b] = m.other(u)
	}
	return s
}

// other is the largest degree everywhere, and at the entity that has it the second largest.
func (m *Machine) other(x *fuzzy) *fuzzy {
	best := m.bestOf(x, 2)
	if len(best) == 0 {
		return none
	}
	second := float32(0)
	if len(best) > 1 {
		second = best[1].Score
	}
	z := m.list(best[0].Score, 1)
	if row, mine := m.run.Part.Local(int32(best[0].Entity)); mine {
		z.add(row, second)
	}
	return m.trim(z)
}

// apart reports whether an inequality is among the links of a push: no entity leads to
// itself.
func apart(rows []*RowSet) bool {
	return slices.ContainsFunc(rows, func(r *RowSet) bool { return r.unequal })
}

// linked reports whether a link of r is observed from entity c to the entity of row t.
func (m *Machine) linked(r *RowSet, c, t int32) bool {
	if r.unequal {
		return c == m.run.Part.Global(t)
	}
	return m.model.Graph.Has(model.EntityID(c), r.relation, model.EntityID(t))
}

// bestBut returns the entity of largest degree in u, other than e if apart is set; -1 if
// there is none.
func (t *tracer) bestBut(u *fuzzy, e int32, apart bool) int32 {
	for _, b := range t.bestOf(u, 2) {
		if best := int32(b.Entity); !apart || best != e {
			return best
		}
	}
	return -1
}
