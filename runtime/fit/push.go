package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime"
)

// Push holds each entity to the best product of the degree of a value of a variable,
// x, and of the rows of that value. Values without rows lead along observed links.
func (m *Machine) Push(variable int, x *Set, rows ...*RowSet) *Set {
	s := m.set(len(x.each), origin{op: push, index: variable, of: x, rows: m.copyRows(rows)})
	m.push(s, x, rows)
	return s
}

func (m *Machine) push(s, x *Set, rows []*RowSet) {
	top := rows[0].top
	products, degrees := m.products(rows), m.floats.take(len(top.ids))
	along := slices.IndexFunc(rows, func(r *RowSet) bool { return !r.negated })
	others := along >= 0 && !m.exact() && len(top.ids) > 0
	if others {
		m.marks.empty(m.n)
		for _, e := range top.ids {
			m.marks.add(e)
		}
	}
	for b, u := range x.each {
		if s.each[b] = none; !m.goesOn() {
			continue
		}
		for i, e := range top.ids {
			degrees[i] = u.at(e)
		}
		m.maximum.start(m.n)
		rest := m.maximum.lists(products, degrees)
		if others {
			m.links(u, rows, along)
		}
		s.each[b] = m.take(products, degrees, rest)
	}
}

// products returns the product of the rows of each candidate.
func (m *Machine) products(rows []*RowSet) []*fuzzy {
	if len(rows) == 1 {
		return rows[0].each
	}
	products := m.arena.each.take(len(rows[0].each))
	for i := range products {
		if products[i] = none; !m.goesOn() {
			continue
		}
		products[i] = m.mul(rows[0].each[i], rows[1].each[i])
		for _, r := range rows[2:] {
			products[i] = m.mul(products[i], r.each[i])
		}
	}
	return products
}

// links offers what observed links tell of the entities of u that are not marked.
func (m *Machine) links(u *fuzzy, rows []*RowSet, along int) {
	graph := m.rows.model.Graph
	for i, c := range u.ids {
		if u.deg[i] == 0 || m.marks.has(c) {
			continue
		}
		for _, t := range graph.Tails(runtime.EntityID(c), rows[along].relation) {
			if m.leads(c, t, rows, along) {
				m.maximum.raise(t, u.deg[i])
			}
		}
	}
}

// leads reports whether all links but one, which is, are observed from c to t, and
// none that is negated.
func (m *Machine) leads(c, t int32, rows []*RowSet, but int) bool {
	for j, r := range rows {
		if j != but && m.rows.model.Graph.Has(runtime.EntityID(c), r.relation, runtime.EntityID(t)) == r.negated {
			return false
		}
	}
	return true
}

// Leaf is Push for a variable of which no constant tells anything, whose candidates
// are those of Every.
func (m *Machine) Leaf(variable int, x *Set, rows ...*RowSet) *Set {
	s := m.set(len(x.each), origin{op: leaf, index: variable, of: x, rows: m.copyRows(rows)})
	if m.exact() {
		m.push(s, x, rows)
		return s
	}
	phi := float32(m.settings.Leaf)
	for b, u := range x.each {
		if s.each[b] = none; !m.goesOn() {
			continue
		}
		z := all
		for _, r := range rows {
			switch {
			case r.negated:
			case u == all:
				z = m.mul(z, m.rows.leaf(r.relation, phi))
			default:
				z = m.mul(z, m.leafOf(u, r.relation, phi))
				u = all // its degrees count once
			}
		}
		if u != all && !slices.ContainsFunc(rows, func(r *RowSet) bool { return !r.negated }) {
			z = m.constant(u.top(m.n))
		}
		s.each[b] = z
	}
	return s
}

// leafOf returns the degrees to which entities have some head of r out of x: by an
// observed link, or φ of the largest.
func (m *Machine) leafOf(x *fuzzy, r runtime.RelationID, phi float32) *fuzzy {
	heads, tails := m.rows.model.Graph.Edges(r.Inverse()) // sorted by the tails of r
	z := m.list(phi*x.top(m.n), len(heads))
	for i := 0; i < len(heads); {
		best := z.rest
		j := i
		for ; j < len(heads) && heads[j] == heads[i]; j++ {
			best = max(best, x.at(tails[j]))
		}
		z.add(heads[i], best)
		i = j
	}
	return m.fit(z)
}
