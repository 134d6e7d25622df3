package fit

import (
	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// makeAll makes all requested rows; partly keeps rows of observed links whose candidates are unchanged.
func (m *sharpener) makeAll(partly bool) {
	for _, b := range m.candidates {
		if !partly || b.top.state == again { // otherwise they exist
			m.observed(b)
		}
	}
	if !m.made() {
		for _, s := range m.constants {
			s.each[0] = fuzzy.None
		}
		for _, b := range m.candidates {
			for i := range b.each {
				b.each[i] = fuzzy.None
			}
		}
	}
}

// made makes the requested rows, and reports whether it succeeded.
func (m *sharpener) made() bool {
	r := &m.request
	r.Keys = r.Keys[:0]
	for _, s := range m.constants {
		r.Keys = append(r.Keys, atoms.Key{H: int32(s.made.constant), R: s.made.relation, Detail: m.detail(s.made.negated)})
	}
	for _, b := range m.candidates {
		for _, i := range b.top.withRows {
			r.Keys = append(r.Keys, atoms.Key{H: b.top.ids[i], R: b.relation, Detail: m.detail(b.negated)})
		}
	}
	if !m.goesOn() {
		return false
	}
	if len(r.Keys) > 0 && !m.run.Ask(r) {
		return false
	}
	if r.Err != nil {
		m.run.Fail(r.Err)
		return false
	}
	made := r.Made
	for _, s := range m.constants {
		s.each[0] = m.signed(made[0], s.made.negated)
		m.slacken(s.made.negated, made[0])
		made = made[1:]
	}
	for _, b := range m.candidates {
		m.slacken(b.negated, made[:len(b.top.withRows)]...)
		for _, i := range b.top.withRows {
			b.each[i] = m.signed(made[0], b.negated)
			made = made[1:]
		}
	}
	clear(r.Made)
	return true
}

// observed makes rows from the observed links of candidates. For many candidates it traverses the links once.
func (m *sharpener) observed(b *AtomRows) {
	g := m.model.Graph
	ids := b.top.ids
	b.each = m.arena.Each.Take(len(ids))
	heads, tails := g.Edges(b.relation)
	if m.part != nil || lookUp*len(ids) < m.arena.N+len(heads) {
		for i, e := range ids {
			m.observe(b, int32(i), g.Tails(graph.EntityID(e), b.relation))
		}
		return
	}
	first := m.indexHeads(heads)
	for i, e := range ids {
		m.observe(b, int32(i), tails[first[e]:first[e+1]])
	}
}

// observe sets row i to the observed links to tails. A candidate without any leads nowhere.
func (m *sharpener) observe(b *AtomRows, i int32, tails []int32) {
	switch {
	case len(tails) > 0:
		for len(m.ones) < len(tails) {
			m.ones = append(m.ones, 1)
		}
		x := m.arena.Lists.One()
		x.IDs = tails
		x.Deg = m.ones[:len(tails)]
		b.each[i] = m.signed(x, b.negated)
	case b.negated:
		b.each[i] = fuzzy.All
	default:
		b.each[i] = fuzzy.None
	}
}

// observeAlone makes rows of observed links alone. A candidate with a negated row counts as nothing.
func (m *sharpener) observeAlone(rows []*AtomRows) {
	for _, b := range rows {
		m.observed(b)
		for _, i := range b.top.withRows {
			if b.negated {
				b.each[i] = fuzzy.None
			}
		}
	}
}
