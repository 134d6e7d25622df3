package fit

import (
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Any holds every entity to degree 1.
func (m *Machine) Any() *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = fuzzy.All
	return s
}

// Peak holds every entity to the largest degree in x, which has the degrees of a variable.
func (m *Machine) Peak(variable int, x *Set) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: peak, index: variable, of: x})
	for b, top := range m.largest(x.each) {
		s.each[b] = m.arena.Constant(top)
	}
	return s
}

// Best are the K entities of largest degree above 0, ties in order of id. x is one for
// all branches, here and in Every and Values.
func (m *Machine) Best(x *Set) *Candidates { return m.bestBy(x, m.settings.Candidates) }

// bestBy stands for the most best entities of x, times proposals.
func (m *Machine) bestBy(x *Set, most int, proposals ...*Set) *Candidates {
	c := m.tops.One()
	c.of, c.most, c.times = x, most, m.setLists.Copy(proposals)
	m.do(step{top: c})
	return c
}

// Every is Best if the method is exact, and no entity otherwise.
func (m *Machine) Every(x *Set) *Candidates {
	if m.exact() {
		return m.Best(x)
	}
	return m.tops.One()
}

// Values are the entities that a variable of the cutset takes, or a variable whose atoms are
// all negated: the each·K best of x, times what its neighbours propose. K of them have rows.
func (m *Machine) Values(each int, x *Set, proposals ...*Set) *Candidates {
	switch {
	case m.exact():
		return m.Best(x)
	case m.rowsAlone:
		each = 1
	}
	return m.bestBy(x, each*m.settings.Candidates, proposals...)
}

// Diagonal holds each entity to the degree of its link to itself: by its row, or by
// the graph if it is none of the candidates.
func (m *Machine) Diagonal(rows *AtomRows) *Set {
	m.now()
	s := m.set(1, origin{op: diagonal, rows: m.rowLists.Copy([]*AtomRows{rows})})
	m.diagonal(s)
	return s
}

// Times is the product of sets, in order.
func (m *Machine) Times(x ...*Set) *Set {
	s := m.value(origin{op: times, with: m.setLists.Copy(x)})
	m.do(step{set: s})
	return s
}

// Either is the probabilistic sum of sets that are one for all branches, in order.
func (m *Machine) Either(x ...*Set) *Set {
	s := m.value(origin{op: either, with: m.setLists.Copy(x)})
	m.do(step{set: s})
	return s
}

// Push holds each entity to the best product of the degree of a value of a variable,
// x, and of the rows of that value. Values without rows lead along observed links.
func (m *Machine) Push(variable int, x *Set, rows ...*AtomRows) *Set {
	return m.pushOf(origin{op: push, index: variable, of: x, rows: m.rowLists.Copy(rows)})
}

// Narrow is Push times the degrees known of the variable that it leads to.
func (m *Machine) Narrow(variable int, known, x *Set, rows ...*AtomRows) *Set {
	return m.pushOf(origin{op: push, index: variable, of: x, rows: m.rowLists.Copy(rows), with: m.setLists.Copy([]*Set{known})})
}

func (m *Machine) pushOf(o origin) *Set {
	s := m.value(o)
	m.do(step{set: s})
	return s
}

// Leaf is Push for a variable that no entity informs; Every chooses its candidates.
func (m *Machine) Leaf(variable int, x *Set, rows ...*AtomRows) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: leaf, index: variable, of: x, rows: m.rowLists.Copy(rows)})
	if m.exact() {
		m.push(s, false)
	} else {
		m.leaf(s)
	}
	return s
}

// Root is a single branch, before any variable is conditioned on.
func (m *Machine) Root() *Branches {
	b := m.cases.One()
	b.weights = m.arena.Floats.Take(1)
	b.weights[0] = 1
	return b
}

// Branch makes a branch for each candidate of a variable in each branch there is, except
// candidates that lead nowhere by some of the rows; x are the variable's degrees.
func (m *Machine) Branch(variable int, x *Set, top *Candidates, from *Branches, rows ...*AtomRows) *Branches {
	b := m.cases.One()
	b.of, b.top, b.from, b.index, b.rows = x, top, from, variable, m.rowLists.Copy(rows)
	m.do(step{branches: b})
	return b
}

// Each holds each entity, in each branch, to the product of the rows of the branch's value.
func (m *Machine) Each(b *Branches, rows ...*AtomRows) *Set {
	s := m.value(origin{op: each, rows: m.rowLists.Copy(rows), branches: b})
	m.do(step{set: s})
	return s
}

// Follow gives each branch the degrees of its parent.
func (m *Machine) Follow(x *Set, b *Branches) *Set {
	s := m.value(origin{op: follow, of: x, branches: b})
	m.do(step{set: s})
	return s
}

// Join holds each entity to the largest degree in any branch, times its weight.
func (m *Machine) Join(x *Set, b *Branches) *Set {
	s := m.value(origin{op: join, of: x, branches: b})
	m.do(step{set: s})
	return s
}

// Except holds every entity but one to degree 1, as x != e requires of x.
func (m *Machine) Except(e graph.EntityID) *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = m.except(int32(e))
	return s
}

// Selected holds each entity to the degree to which it meets a filter.
func (m *Machine) Selected(f *model.Selection) *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = m.selected(f)
	return s
}

// Others are the rows of candidates under an inequality, an atom of negated identity:
// degree 1 for all entities but the candidate.
func (m *Machine) Others(top *Candidates) *AtomRows {
	m.now()
	x := m.rows.One()
	*x = AtomRows{top: top, negated: true, unequal: true, each: m.arena.Each.Take(len(top.ids))}
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

// Dense writes the degrees of all entities to dst, which it returns; x is one for all branches. It
// may do so when the run ends.
func (m *Machine) Dense(dst []float32, x *Set) []float32 {
	m.do(step{set: x, dst: dst})
	return dst
}
