package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Push holds each entity to the best product of the degree of a value of a variable,
// x, and of the rows of that value. Values without rows lead along observed links.
func (m *Machine) Push(variable int, x *Set, rows ...*RowSet) *Set {
	return m.pushOf(origin{op: push, index: variable, of: x, rows: m.rowSets.copy(rows)})
}

// Narrow is Push times the degrees known of the variable that it leads to.
func (m *Machine) Narrow(variable int, known, x *Set, rows ...*RowSet) *Set {
	return m.pushOf(origin{op: push, index: variable, of: x, rows: m.rowSets.copy(rows), with: m.parts.copy([]*Set{known})})
}

// everything stands for the known degrees of a push that has none.
var everything = &Set{each: []*fuzzy{all}}

func (m *Machine) pushOf(o origin) *Set {
	s := m.value(o)
	m.do(step{set: s})
	return s
}

// push evaluates Push and Narrow; partly adds the rows of candidates to what observed links alone gave.
func (m *Machine) push(s *Set, partly bool) {
	o := &s.made
	known := everything
	branches := len(s.made.of.each)
	if len(o.with) > 0 {
		known = o.with[0]
		branches = max(branches, len(known.each))
		if len(known.each) == 0 || len(o.of.each) == 0 {
			branches = 0
		}
	}
	p := m.pusher(o.rows)
	before := s.each
	if !partly || len(before) != branches || p.top.state == again {
		before = nil
	}
	s.each = m.arena.each.take(branches)
	alike := len(o.of.each) == 1 && branches > 1 // branches differ only in their known degrees
	var wide *fuzzy
	for b := range s.each {
		s.each[b] = none
		y := known.branch(b)
		u := o.of.branch(b)
		if m.leadsNowhere(y) || m.leadsNowhere(u) || !m.goesOn() {
			continue
		}
		p.rowsAlone = before != nil && !o.of.changes(b) && !known.changes(b) && !(alike && known.state == again)
		if !alike || wide == nil {
			m.weigh(&p, u)
		}
		if m.run.Part == nil && !alike && !y.wide() && p.few(y) { // sets are full on some ranks alone
			s.each[b] = m.narrowed(&p, y, u)
		} else {
			if !alike || wide == nil {
				wide = m.pushed(&p, u)
			}
			s.each[b] = m.mul(y, wide)
		}
		if p.rowsAlone {
			s.each[b] = m.larger(before[b], s.each[b])
		}
	}
}

// larger returns the larger degrees of x and y.
func (m *Machine) larger(x, y *fuzzy) *fuzzy {
	switch {
	case x.empty():
		return y
	case y.empty():
		return x
	}
	list := m.arena.each.take(2)
	ones := m.floats.take(2)
	list[0] = x
	list[1] = y
	ones[0] = 1
	ones[1] = 1
	m.maximum.start(m.n)
	return m.foldMax(list, ones, m.offer(list, ones))
}

// leadsNowhere reports whether nothing has a degree in a set; on a part, others may.
func (m *Machine) leadsNowhere(x *fuzzy) bool { return m.run.Part == nil && x.empty() }

// pusher holds what the pushes of all branches share.
type pusher struct {
	rows     []*RowSet
	top      *Candidates
	products []*fuzzy
	degrees  []float32 // of the candidates in a branch
	along    int       // a row that is not negated, -1 for none
	marked   []int32   // the candidates in order, if others lead too
	others   bool      // entities without rows lead along observed links
	// rowsAlone says that a branch has been evaluated along observed links, and only rows are added to that.
	rowsAlone bool
}

func (m *Machine) pusher(rows []*RowSet) pusher {
	p := pusher{rows: rows, top: rows[0].top, products: rows[0].each, degrees: m.floats.take(len(rows[0].top.ids))}
	if len(rows) > 1 {
		p.products = m.arena.each.take(len(p.degrees))
		for i := range p.products {
			p.products[i] = none
			if m.goesOn() {
				p.products[i] = m.product(rows, int32(i))
			}
		}
	}
	p.along = slices.IndexFunc(rows, func(r *RowSet) bool { return !r.negated })
	p.others = p.along >= 0 && !m.exact() && !m.rowsAlone && len(p.top.ids) > 0
	if p.others {
		p.marked = m.ints.copy(p.top.ids)
		slices.Sort(p.marked)
	}
	return p
}

// weigh looks up the degrees of the candidates, of those with rows if only rows are added.
func (m *Machine) weigh(p *pusher, u *fuzzy) {
	if !p.rowsAlone {
		m.degrees(p.degrees, p.top.ids, []*fuzzy{u})
		return
	}
	clear(p.degrees)
	for _, i := range p.top.withRows {
		p.degrees[i] = u.at(p.top.ids[i])
	}
}

// pushed is the push of one branch.
func (m *Machine) pushed(p *pusher, u *fuzzy) *fuzzy {
	m.maximum.start(m.n)
	rest := m.offer(p.products, p.degrees)
	if p.others && !p.rowsAlone {
		m.links(p, u)
	}
	return m.foldMax(p.products, p.degrees, rest)
}

// lookUp is the cost of looking up an entity in a list, relative to stepping over an entity.
const lookUp = 16

// few reports whether to look up the entities of y in the lists that are wide is no more work than to go
// through those.
func (p *pusher) few(y *fuzzy) bool {
	looked := 0
	gone := 0
	for i, d := range p.degrees {
		if x := p.products[i]; d != 0 && x.wide() && x.full == nil {
			looked += lookUp * len(y.ids)
			gone += len(x.ids)
		}
	}
	return looked <= gone
}

// narrowed is y times the push of one branch; y is 0 where it lists nothing.
func (m *Machine) narrowed(p *pusher, y, u *fuzzy) *fuzzy {
	a := &m.maximum
	looked := m.ints.take(len(p.degrees))[:0]
	a.start(m.n)
	if p.others && !p.rowsAlone {
		m.links(p, u)
	}
	for i, d := range p.degrees {
		switch x := p.products[i]; {
		case d == 0:
		case x.wide() || lookUp*len(y.ids) < len(x.ids):
			looked = append(looked, int32(i))
		default:
			m.raise(x, d)
		}
	}
	z := m.list(0, len(y.ids))
	for i, e := range y.ids {
		best := a.sum[e]
		for _, j := range looked {
			if d := p.degrees[j]; d > best {
				best = max(best, m.norm.Both(d, p.products[j].at(e)))
			}
		}
		z.add(e, m.norm.Both(y.deg[i], best))
	}
	for _, e := range a.touched {
		a.sum[e] = 0
	}
	return m.trim(z)
}

// product returns the product of the rows of candidate i.
func (m *Machine) product(rows []*RowSet, i int32) *fuzzy {
	x := rows[0].each[i]
	for _, r := range rows[1:] {
		x = m.mul(x, r.each[i])
	}
	return x
}

// links offers the degrees that observed links give the entities of u that are not
// marked.
func (m *Machine) links(p *pusher, u *fuzzy) {
	graph := m.model.Graph
	r := p.rows[p.along].relation
	lead := func(d float32, c int32, tails []int32) {
		if d == 0 || d == u.rest {
			return
		}
		if _, marked := slices.BinarySearch(p.marked, c); !marked {
			m.lead(c, tails, d, p.rows, p.along)
		}
	}
	heads, _ := graph.Edges(r)
	if m.run.Part != nil || u.full != nil || lookUp*len(u.ids) > len(heads) {
		m.run.Part.EachHead(graph, r, u.at, lead)
		return
	}
	for i, c := range u.ids {
		lead(u.deg[i], c, graph.Tails(model.EntityID(c), r))
	}
}

// lead offers a degree of the tails of c by the links along, as far as all other links are observed
// there, and none that is negated.
func (m *Machine) lead(c int32, tails []int32, degree float32, rows []*RowSet, along int) {
	for j, r := range rows {
		if j == along {
			continue
		}
		m.led = append(m.led[:0], tails...)
		tails = m.led
		if r.unequal {
			tails = slices.DeleteFunc(tails, func(t int32) bool { return c == m.run.Part.Global(t) })
			continue
		}
		others := m.model.Graph.Tails(model.EntityID(c), r.relation) // both ascend
		tails = slices.DeleteFunc(tails, func(t int32) bool {
			for len(others) > 0 && others[0] < t {
				others = others[1:]
			}
			return (len(others) > 0 && others[0] == t) == r.negated
		})
	}
	for _, t := range tails {
		m.maximum.raise(t, degree)
	}
}

// Leaf is Push for a variable that no entity informs; Every chooses its candidates.
func (m *Machine) Leaf(variable int, x *Set, rows ...*RowSet) *Set {
	m.now()
	s := m.set(len(x.each), origin{op: leaf, index: variable, of: x, rows: m.rowSets.copy(rows)})
	if m.exact() {
		m.push(s, false)
		return s
	}
	phi := float32(m.settings.Leaf)
	for b, u := range x.each {
		s.each[b] = none
		if !m.goesOn() {
			continue
		}
		switch {
		case !slices.ContainsFunc(rows, func(r *RowSet) bool { return !r.negated }):
			s.each[b] = m.rested(u, rows)
		case len(rows) > 1:
			s.each[b] = m.joint(u, rows)
		case u == all:
			s.each[b] = m.leaf(rows[0].relation, phi)
		default:
			s.each[b] = m.leafOf(u, rows[0].relation, phi)
		}
	}
	return s
}

// joint returns the degrees to which entities have some value of u by several links at
// once: see worth; or rested, where no link leads.
func (m *Machine) joint(u *fuzzy, rows []*RowSet) *fuzzy {
	rest := m.rested(u, rows)
	a := &m.maximum
	a.start(m.n)
	for i, r := range rows {
		if r.negated || !m.goesOn() {
			continue
		}
		m.run.Part.EachHead(m.model.Graph, r.relation, u.at, func(d float32, c int32, tails []int32) {
			for _, t := range tails {
				if d > rest.at(t) && !m.anyLinked(c, t, rows[:i]) {
					a.raise(t, m.worth(d, c, t, rows))
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
	z := m.list(rest.rest, len(a.touched))
	for _, e := range a.touched {
		z.add(e, max(rest.at(e), a.sum[e]))
		a.sum[e] = 0
	}
	return m.trim(z)
}

// rested returns the degrees that a leaf gives entities that no observed link leads to: φ of each
// positive link of the largest degree, of another entity if they are to be unequal.
func (m *Machine) rested(u *fuzzy, rows []*RowSet) *fuzzy {
	d := m.constant(m.top(u))
	if apart(rows) {
		d = m.other(u)
	}
	for _, r := range rows {
		if !r.negated {
			d = m.mul(d, m.constant(float32(m.settings.Leaf)))
		}
	}
	return d
}

// anyLinked reports whether a link that is not negated is observed from c to t.
func (m *Machine) anyLinked(c, t int32, rows []*RowSet) bool {
	return slices.ContainsFunc(rows, func(r *RowSet) bool { return !r.negated && m.linked(r, c, t) })
}

// worth returns d, the degree of value c of a leaf, times the degrees of its links to t.
func (m *Machine) worth(d float32, c, t int32, rows []*RowSet) float32 {
	for _, r := range rows {
		d = m.norm.Both(d, m.leafLink(r, m.linked(r, c, t)))
	}
	return d
}

// leafLink is the degree of a link of a leaf: an observed one is true, and
// false if it is negated; others count as absent if they are negated, as φ if not.
func (m *Machine) leafLink(r *RowSet, has bool) float32 {
	switch {
	case r.unequal && has:
		return 0
	case r.negated && has:
		return negate(1, float32(m.settings.Negation))
	case r.negated || has:
		return 1
	}
	return float32(m.settings.Leaf)
}

// leafOf returns the degrees to which entities have some head of r out of x: by an
// observed link, or φ of the largest.
func (m *Machine) leafOf(x *fuzzy, r model.RelationID, phi float32) *fuzzy {
	rest := m.norm.Both(phi, m.top(x))
	m.maximum.start(m.n)
	m.run.Part.EachTail(m.model.Graph, r, x.at, func(d float32, t int32) {
		if d > rest {
			m.maximum.raise(t, d)
		}
	})
	return m.touched(rest)
}
