package fit

import "slices"

// Any holds every entity to degree 1.
func (m *Machine) Any() *Set {
	s := m.set(1, origin{op: anything})
	s.each[0] = all
	return s
}

// Peak holds every entity to the largest degree in x, which is that of a variable.
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
func (m *Machine) Best(x *Set) *Candidates {
	m.now()
	return m.candidates(x.single(), m.settings.Candidates, m.settings.Candidates)
}

// Every is Best if the method is exact, and no entity otherwise.
func (m *Machine) Every(x *Set) *Candidates {
	m.now()
	if m.exact() {
		return m.Best(x)
	}
	return m.tops.one()
}

// Values are the entities that a variable of the cutset takes, or a variable whose atoms are
// all negated: the each·K best of x, times what its neighbours propose. K of them have rows.
func (m *Machine) Values(each int, x *Set, proposals ...*Set) *Candidates {
	m.now()
	if m.exact() {
		return m.Best(x)
	}
	y := x.single()
	for _, p := range proposals {
		y = m.mul(y, p.single())
	}
	values := each * m.settings.Candidates
	if m.rowsAlone {
		values = m.settings.Candidates
	}
	return m.candidates(y, values, m.settings.Candidates)
}

// beam is the share of the best candidate's degree that another needs to have a row,
// if the method is not exact: what it leads to would be outdone.
const beam = 0.03

// candidates are the k best, of which some have rows.
func (m *Machine) candidates(x *fuzzy, k, withRows int) *Candidates {
	best := m.best(x, k)
	withRows = min(withRows, len(best))
	for !m.exact() && !m.rowsAlone && withRows > 0 && best[withRows-1].Score < beam*best[0].Score {
		withRows--
	}
	if k == m.settings.Candidates { // all have rows
		best = best[:withRows]
	}
	c := m.tops.one()
	c.ids, c.withRows = m.ints.take(len(best)), withRows
	for i, b := range best {
		c.ids[i] = int32(b.Entity)
	}
	return c
}

// Diagonal holds each entity to the degree of its link to itself: by its row, or by
// the graph if it is none of the candidates.
func (m *Machine) Diagonal(rows *RowSet) *Set {
	m.now()
	s := m.set(1, origin{op: diagonal, rows: m.copyRows([]*RowSet{rows})})
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
	none, one := float32(0), float32(1)
	if rows.negated {
		none, one = 1, negate(1, nu)
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
	s.each[0] = m.fit(z)
	return s
}

// Times is the product of sets, in order.
func (m *Machine) Times(x ...*Set) *Set {
	m.now()
	branches := 1
	for _, y := range x {
		branches = max(branches, len(y.each))
		if len(y.each) == 0 {
			branches = 0
			break
		}
	}
	s := m.set(branches, origin{op: times, with: m.copySets(x)})
	for b := range s.each {
		if s.each[b] = none; !m.goesOn() {
			continue
		}
		z := x[0].branch(b)
		for _, y := range x[1:] {
			z = m.mul(z, y.branch(b))
		}
		s.each[b] = z
	}
	return s
}

// Either is the probabilistic sum of sets that are one for all branches, in order.
func (m *Machine) Either(x ...*Set) *Set {
	m.now()
	s := m.set(1, origin{op: either, with: m.copySets(x)})
	z := x[0].single()
	for _, y := range x[1:] {
		z = m.arena.either(z, y.single())
	}
	s.each[0] = z
	return s
}

// Dense writes the degrees of all entities to dst, which it returns; x is one for all
// branches.
func (m *Machine) Dense(dst []float32, x *Set) []float32 {
	switch l := &m.late; {
	case x != l.set:
		x.single().dense(dst)
	case l.dst == nil:
		l.dst = dst
	default:
		m.now()
		x.single().dense(dst)
	}
	return dst
}
