package fit

import "slices"

// maxBranches bounds the combinations of values of a cutset of several variables, for each of the
// K best, if the method is not exact. A variable alone has all of its values.
const maxBranches = 64

// branch is a combination of values: one of a parent, and a candidate.
type branch struct {
	parent, value int32
	weight        float32
}

// Root is a single branch, before any variable is conditioned on.
func (m *Machine) Root() *Branches {
	b := m.cases.one()
	b.weights = m.floats.take(1)
	b.weights[0] = 1
	return b
}

// Branch makes a branch for each candidate of a variable in each branch there is, except
// candidates that lead nowhere by some of the rows; x are the variable's degrees.
func (m *Machine) Branch(variable int, x *Set, top *Candidates, from *Branches, rows ...*RowSet) *Branches {
	b := m.cases.one()
	b.of, b.top, b.from, b.index, b.rows = x, top, from, variable, m.rowSets.copy(rows)
	m.do(step{branches: b})
	return b
}

// split evaluates Branch.
func (m *Machine) split(b *Branches) {
	x := b.of
	top := b.top
	from := b.from
	list := m.branches[:0]
	values := len(top.ids)
	all := m.floats.take((len(x.each) + 1 + len(b.rows)) * values)
	degrees := all[:len(x.each)*values]
	leads := all[len(x.each)*values:]
	m.ownDegrees(degrees, top.ids, x.each)
	countLinks(leads, values, b.rows)
	m.run.Part.Add(all)
	leading(leads, top)
	for p, w := range from.weights {
		own := degrees[min(p, len(x.each)-1)*len(top.ids):]
		for i := range top.ids {
			if d := m.norm.Both(w, own[i]); d > 0 && leads[i] > 0 {
				list = append(list, branch{int32(p), int32(i), d})
			}
		}
	}
	m.branches = list
	if limit := max(maxBranches*m.settings.Candidates, len(top.ids)); len(list) > limit && !m.exact() {
		slices.SortStableFunc(list, func(a, b branch) int {
			switch {
			case a.weight > b.weight:
				return -1
			case a.weight < b.weight:
				return 1
			}
			return 0
		})
		list = list[:limit]
	}
	b.weights, b.parents, b.values = m.floats.take(len(list)), m.ints.take(len(list)), m.ints.take(len(list))
	for i, x := range list {
		b.weights[i] = x.weight
		b.parents[i] = x.parent
		b.values[i] = x.value
	}
}

// countLinks sets dst to 1 for each candidate, and behind these for each candidate in each of the rows
// to 1 if there is an observed link in this part, or none is needed because the atom is negated.
func countLinks(dst []float32, candidates int, rows []*RowSet) {
	for i := range dst {
		dst[i] = 1
	}
	for j, r := range rows {
		for i, x := range r.each {
			if !r.negated && x.empty() {
				dst[(1+j)*candidates+i] = 0
			}
		}
	}
}

// leading sets the first number of each candidate to 0 if the candidate leads nowhere: if it has
// neither rows of its own nor links by all rows, as countLinks and all parts have them.
func leading(links []float32, top *Candidates) {
	leads := links[:len(top.ids)]
	for i, x := range links[len(leads):] {
		leads[i%len(leads)] *= x
	}
	for _, i := range top.withRows {
		leads[i] = 1
	}
}

// Each holds each entity, in each branch, to the product of the rows of the branch's value.
func (m *Machine) Each(b *Branches, rows ...*RowSet) *Set {
	s := m.value(origin{op: each, rows: m.rowSets.copy(rows), branches: b})
	m.do(step{set: s})
	return s
}

// rowsOfValues evaluates Each.
func (m *Machine) rowsOfValues(s *Set, partly bool) {
	values := s.made.branches.values
	m.eachBranch(s, len(values), partly, func(b int) *fuzzy { return m.product(s.made.rows, values[b]) })
}

// Follow gives each branch the degrees of its parent.
func (m *Machine) Follow(x *Set, b *Branches) *Set {
	s := m.value(origin{op: follow, of: x, branches: b})
	m.do(step{set: s})
	return s
}

// ofParents evaluates Follow.
func (m *Machine) ofParents(s *Set, partly bool) {
	parents := s.made.branches.parents
	m.eachBranch(s, len(parents), partly, func(b int) *fuzzy { return s.made.of.branch(int(parents[b])) })
}

// Join holds each entity to the largest degree in any branch, times its weight.
func (m *Machine) Join(x *Set, b *Branches) *Set {
	s := m.value(origin{op: join, of: x, branches: b})
	m.do(step{set: s})
	return s
}

// overBranches evaluates Join.
func (m *Machine) overBranches(s *Set) {
	b := s.made.branches
	m.maximum.start(m.n)
	list := s.made.of.each
	weights := b.weights
	if len(list) == 1 && len(weights) > 1 { // one for all
		weights = m.floats.take(1)
		weights[0] = slices.Max(b.weights)
	}
	list = list[:min(len(list), len(weights))]
	s.each = m.arena.each.take(1)
	s.each[0] = m.foldMax(list, weights, m.offer(list, weights))
}
