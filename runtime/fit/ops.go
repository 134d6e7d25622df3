package fit

import "slices"

// Any holds every entity to degree 1.
func (m *Machine) Any() *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = all
	return s
}

// Peak holds every entity to the largest degree in x, which has the degrees of a variable.
func (m *Machine) Peak(variable int, x *Set) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: peak, index: variable, of: x})
	for b, top := range m.largest(x.each) {
		s.each[b] = m.constant(top)
	}
	return s
}

// Best are the K entities of largest degree above 0, ties in order of id. x is one for
// all branches, here and in Every and Values.
func (m *Machine) Best(x *Set) *Candidates { return m.bestBy(x, m.settings.Candidates) }

// bestBy stands for the most best entities of x, times proposals.
func (m *Machine) bestBy(x *Set, most int, proposals ...*Set) *Candidates {
	c := m.tops.one()
	c.of, c.most, c.times = x, most, m.parts.copy(proposals)
	m.do(step{top: c})
	return c
}

// Every is Best if the method is exact, and no entity otherwise.
func (m *Machine) Every(x *Set) *Candidates {
	if m.exact() {
		return m.Best(x)
	}
	return m.tops.one()
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

// beam is the share of the best candidate's degree that another needs to have a row,
// if the method is not exact: what it leads to would be outdone.
const beam = 0.03

// candidates finds the best entities of a variable, and decides which of them have rows.
func (m *Machine) candidates(c *Candidates) {
	x := c.of.single()
	sets := append(m.Sets(1 + len(c.times))[:0], c.of)
	for _, p := range c.times {
		x = m.mul(x, p.single())
		sets = append(sets, p)
	}
	best := m.bestExactly(nil, x, m.settings.Candidates, c.most, sets...)
	withRows := min(m.settings.Candidates, len(best))
	for !m.exact() && !m.rowsAlone && withRows > 0 && best[withRows-1].Score < beam*best[0].Score {
		withRows--
	}
	if c.most == m.settings.Candidates { // all have rows
		best = best[:withRows]
	}
	c.ids, c.withRows = m.ints.take(len(best)), m.ints.take(withRows)
	for i, b := range best {
		c.ids[i] = int32(b.Entity)
	}
	for i := range c.withRows {
		c.withRows[i] = int32(i)
	}
	if m.off > 0 && len(c.times) == 0 {
		c.exact = m.floats.take(withRows)
		for i := range c.exact {
			c.exact[i] = best[i].Score
		}
	}
}

// degree returns the degree of candidate i of a variable that has no branches.
func (c *Candidates) degree(i int32) float32 { return c.of.single().at(c.ids[i]) }

// Diagonal holds each entity to the degree of its link to itself: by its row, or by
// the graph if it is none of the candidates.
func (m *Machine) Diagonal(rows *RowSet) *Set {
	m.now()
	s := m.set(1, origin{op: diagonal, rows: m.rowSets.copy([]*RowSet{rows})})
	places := m.ints.take(len(rows.top.ids))[:0] // of candidates by id
	for i, e := range rows.top.ids {
		if _, mine := m.run.Part.Local(e); mine {
			places = append(places, int32(i))
		}
	}
	slices.SortFunc(places, func(i, j int32) int { return int(rows.top.ids[i]) - int(rows.top.ids[j]) })
	ids := m.ints.take(len(places))
	for i, p := range places {
		ids[i], _ = m.run.Part.Local(rows.top.ids[p])
	}
	nu := float32(m.settings.Negation)
	none := float32(0)
	one := float32(1)
	if rows.negated {
		none = 1
		one = negate(1, nu)
	}
	heads, tails := m.model.Graph.Edges(rows.relation)
	z := m.list(none, len(ids)+len(heads))
	next := 0
	upTo := func(e int32) { // candidates below e
		for ; next < len(ids) && ids[next] < e; next++ {
			z.add(ids[next], rows.each[places[next]].at(ids[next]))
		}
	}
	for j, h := range heads {
		if h != m.run.Part.Global(tails[j]) {
			continue
		}
		h = tails[j]
		upTo(h)
		if next < len(ids) && ids[next] == h {
			next++
		}
		z.add(h, one)
	}
	upTo(int32(m.n))
	s.each[0] = m.trim(z)
	return s
}

// Times is the product of sets, in order.
func (m *Machine) Times(x ...*Set) *Set {
	s := m.value(origin{op: times, with: m.parts.copy(x)})
	m.do(step{set: s})
	return s
}

// multiply evaluates Times.
func (m *Machine) multiply(s *Set, partly bool) {
	x := s.made.with
	branches := 1
	for _, y := range x {
		branches = max(branches, len(y.each))
		if len(y.each) == 0 {
			branches = 0
			break
		}
	}
	m.eachBranch(s, branches, partly, func(b int) *fuzzy {
		z := x[0].branch(b)
		for _, y := range x[1:] {
			z = m.mul(z, y.branch(b))
		}
		return z
	})
}

// Either is the probabilistic sum of sets that are one for all branches, in order.
func (m *Machine) Either(x ...*Set) *Set {
	s := m.value(origin{op: either, with: m.parts.copy(x)})
	m.do(step{set: s})
	return s
}

// unite evaluates Either.
func (m *Machine) unite(s *Set) {
	x := s.made.with
	z := x[0].single()
	for _, y := range x[1:] {
		z = m.arena.either(z, y.single())
	}
	s.each = m.arena.each.take(1)
	s.each[0] = z
}

// Dense writes the degrees of all entities to dst, which it returns; x is one for all branches. It
// may do so when the run ends.
func (m *Machine) Dense(dst []float32, x *Set) []float32 {
	m.do(step{set: x, dst: dst})
	return dst
}
