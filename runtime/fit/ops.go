package fit

import (
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Any gives every entity degree 1.
func (m *Machine) Any() *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = fuzzy.All
	return s
}

// Peak gives every entity the largest degree in x, the degrees of a variable.
func (m *Machine) Peak(variable int, x *Set) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: peak, index: variable, of: x})
	for b, top := range m.largest(x.each) {
		s.each[b] = m.arena.Constant(top)
	}
	return s
}

// Best are the K entities of largest degree above 0, ties in order of id. Here, in Every and in Values, x must be the
// same for all branches.
func (m *Machine) Best(x *Set) *Candidates { return m.bestBy(x, m.settings.Candidates) }

// bestBy stands for the most entities of largest degree in x, times proposals.
func (m *Machine) bestBy(x *Set, most int, proposals ...*Set) *Candidates {
	c := m.tops.One()
	c.of, c.most, c.times = x, most, m.setLists.Copy(proposals)
	m.do(step{top: c})
	return c
}

// Every is Best if the method is exact, and empty otherwise.
func (m *Machine) Every(x *Set) *Candidates {
	if m.exact() {
		return m.Best(x)
	}
	return m.tops.One()
}

// Values are the candidate values of a variable in the cutset, or of one whose atoms are all negated: the each·K best
// of x, times the proposals of its neighbours. K of them have rows.
func (m *Machine) Values(each int, x *Set, proposals ...*Set) *Candidates {
	switch {
	case m.exact():
		return m.Best(x)
	case m.rowsAlone:
		each = 1
	}
	return m.bestBy(x, each*m.settings.Candidates, proposals...)
}

// Diagonal gives each entity the degree of its link to itself: by its row if it is a candidate, otherwise by the
// graph.
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

// Either is the probabilistic sum of sets that are the same for all branches, in order.
func (m *Machine) Either(x ...*Set) *Set {
	s := m.value(origin{op: either, with: m.setLists.Copy(x)})
	m.do(step{set: s})
	return s
}

// Push gives each entity the best product of the degree of a value in x, the degrees of a variable, and the rows of
// that value. Values without rows contribute along observed links.
func (m *Machine) Push(variable int, x *Set, rows ...*AtomRows) *Set {
	return m.pushOf(origin{op: push, index: variable, of: x, rows: m.rowLists.Copy(rows)})
}

// Narrow is Push times the known degrees of the receiving variable.
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

// Branch makes a branch for each candidate of a variable in each branch of from, except candidates that some of the
// rows rule out; x are the variable's degrees.
func (m *Machine) Branch(variable int, x *Set, top *Candidates, from *Branches, rows ...*AtomRows) *Branches {
	b := m.cases.One()
	b.of, b.top, b.from, b.index, b.rows = x, top, from, variable, m.rowLists.Copy(rows)
	m.do(step{branches: b})
	return b
}

// Each gives each entity, in each branch, the product of the rows of the branch's value.
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

// Join gives each entity its largest degree in any branch, times the branch's weight.
func (m *Machine) Join(x *Set, b *Branches) *Set {
	s := m.value(origin{op: join, of: x, branches: b})
	m.do(step{set: s})
	return s
}

// Except gives every entity but one degree 1, as x != e requires of x.
func (m *Machine) Except(e graph.EntityID) *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = m.except(int32(e))
	return s
}

// Selected gives each entity the degree to which it meets a filter.
func (m *Machine) Selected(f *model.Selection) *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = m.selected(f)
	return s
}

// Others are the rows of candidates under an inequality: degree 1 for all entities but the candidate.
func (m *Machine) Others(top *Candidates) *AtomRows {
	m.now()
	x := m.rows.One()
	*x = AtomRows{top: top, negated: true, unequal: true, each: m.arena.Each.Take(len(top.ids))}
	for i, e := range top.ids {
		x.each[i] = m.except(e)
	}
	return x
}

// Other gives each entity the largest degree that another entity has in x: Push along an inequality alone, for all
// values at once.
func (m *Machine) Other(variable int, x *Set) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: other, index: variable, of: x})
	for b, u := range x.each {
		s.each[b] = m.other(u)
	}
	return s
}

// Dense writes the degrees of all entities to dst, possibly at the end of the run, and returns dst; x must be the
// same for all branches.
func (m *Machine) Dense(dst []float32, x *Set) []float32 {
	m.do(step{set: x, dst: dst})
	return dst
}
