package fit

import (
	"context"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/internal/pass"
	"github.com/efoc/efoc/runtime/model"
)

// request asks for the rows that a plan needs next. The rows for all queries of a batch are made
// together.
type request struct {
	machine    *Machine
	rows       *Rows
	facts      *model.Model // with the facts of the run
	scale      scale
	ctx        context.Context
	part       *part.Part // of a split model, for the exchanges of all requests
	sets       []*Set     // of the rows of constants, first
	given      []given    // of these
	before     func(more *pass.Request) bool
	candidates []*RowSet // of the rows of candidates, after these
	keys       []key     // of all rows in turn
	made       []*fuzzy
	read       []*entry // until the query is done
	err        error
	all        []*request // requests served together; this one is the first
}

func (r *request) start(m *Machine) {
	r.machine, r.rows, r.facts, r.scale = m, m.rows, m.model, scaleOf(m.model, &m.settings)
	r.ctx = m.run.Context()
	r.part = nil
	r.err = nil
	if p := m.run.Part; p != nil {
		r.part = p.Whole()
	}
	r.empty()
}

// empty lets go of what was requested.
func (r *request) empty() {
	clear(r.given)
	r.sets = r.sets[:0]
	r.given = r.given[:0]
	r.candidates = r.candidates[:0]
}

// Row returns the row of entity e, negated if its atom is. It may be read once Make has returned.
// scores has the scores of all entities if message passing computes them, negated if the atom is;
// otherwise it is nil. exact says that they are not of codes alone.
func (m *Machine) Row(e model.EntityID, r model.RelationID, d model.Direction, s model.Sign, atom int, scores []float32, exact bool) *Set {
	x := m.set(1, origin{op: row, index: atom, constant: e, relation: r.Toward(d), negated: bool(s)})
	sign := float32(1)
	if s {
		sign = -1
	}
	m.request.sets, m.request.given = append(m.request.sets, x), append(m.request.given, given{scores, sign, exact})
	return x
}

// Rows are the rows of candidates. They may be read once Make has returned.
func (m *Machine) Rows(r model.RelationID, d model.Direction, s model.Sign, atom int, top *Candidates) *RowSet {
	x := m.arena.rows.one()
	*x = RowSet{top: top, relation: r.Toward(d), negated: bool(s), atom: atom}
	m.request.candidates = append(m.request.candidates, x)
	return x
}

// Make computes the rows requested since the last call, in one pass over the entity table for
// those that are not cached. If it fails they are empty, and the workspace has the error: the
// context's, or a MemoryError. Rows of candidates may wait until the run ends: see Finish. before,
// if it is not nil, makes a pass that is to be made before this one, and reports whether that has
// served both; it is called at most once, and not if no pass is needed.
func (m *Machine) Make(before func(more *pass.Request) bool) {
	r := &m.request
	m.deferRows(r)
	if len(r.sets)+len(r.candidates) == 0 {
		return
	}
	if slices.ContainsFunc(r.candidates, func(b *RowSet) bool { return b.top.state == waits }) {
		later := *r
		r.sets = nil
		r.given = nil
		r.candidates = nil
		m.now()
		r.sets = later.sets
		r.given = later.given
		r.candidates = later.candidates
	}
	r.before = before
	m.makeAll(false)
	r.before = nil
	r.empty()
}

// makeAll makes all rows of the request; partly keeps rows of observed links whose candidates are the same.
func (m *Machine) makeAll(partly bool) {
	r := &m.request
	for _, b := range r.candidates {
		if !partly || b.top.state == again { // otherwise they were made before
			m.observed(b)
		}
	}
	if !m.made(r) {
		for _, s := range r.sets {
			s.each[0] = none
		}
		for _, b := range r.candidates {
			for i := range b.each {
				b.each[i] = none
			}
		}
	}
}

// made makes the rows of a request, and reports whether it could.
func (m *Machine) made(r *request) bool {
	r.keys = r.keys[:0]
	for i, s := range r.sets {
		x := key{int32(s.made.constant), s.made.relation, m.detail(s.made.negated)}
		if r.given[i].scores != nil && r.given[i].exact {
			x.detail = exactRow
		}
		r.keys = append(r.keys, x)
	}
	for _, b := range r.candidates {
		detail := exactRow
		if !b.negated {
			detail = m.detail(false)
		}
		for _, i := range b.top.withRows {
			r.keys = append(r.keys, key{b.top.ids[i], b.relation, detail})
		}
	}
	if !m.goesOn() {
		return false
	}
	if len(r.keys) > 0 && !m.run.Ask(r) {
		return false
	}
	if r.err != nil {
		m.run.Fail(r.err)
		return false
	}
	made := r.made
	for _, s := range r.sets {
		s.each[0] = m.signed(made[0], s.made.negated)
		m.slacken(s.made.negated, made[0])
		made = made[1:]
	}
	for _, b := range r.candidates {
		m.slacken(b.negated, made[:len(b.top.withRows)]...)
		for _, i := range b.top.withRows {
			b.each[i] = m.signed(made[0], b.negated)
			made = made[1:]
		}
	}
	clear(r.made)
	return true
}

// Serve makes the rows of all requests.
func (r *request) Serve(all []drive.Request) {
	r.all = r.all[:0]
	for _, x := range all {
		r.all = append(r.all, x.(*request))
	}
	err := r.rows.fetch(r.all)
	for _, x := range r.all {
		x.err = err
	}
	clear(r.all)
}

// Like reports whether equal keys of two requests name the same row.
func (r *request) Like(o drive.Request) bool {
	x, ok := o.(*request)
	return ok && r.rows == x.rows && r.facts.Graph == x.facts.Graph && r.scale == x.scale
}

// rest lets others run, unless the requests belong to a group or a batch.
func rest(all []*request) {
	if m := all[0].machine; m != nil && !m.run.Batched() {
		m.run.Rest()
	}
}

// ended returns the error of the contexts of requests if all of them have ended.
func ended(all []*request) error {
	for _, r := range all {
		if r.ctx.Err() == nil {
			return nil
		}
	}
	return all[0].ctx.Err()
}

// Kind is Columns: rows are made from scores.
func (r *request) Kind() drive.Kind { return drive.Columns }

// scaleOf returns everything that rows depend on beside the model.
func scaleOf(m *model.Model, d *model.Degrees) scale {
	s := scale{threshold: float32(d.Threshold), temperature: float32(d.Temperature), mass: d.Mass}
	if d.Regularities {
		s.terms = m.Manifest.ScoreTerms
	}
	return s
}

// signed returns a row as its atom reads it.
func (m *Machine) signed(x *fuzzy, negated bool) *fuzzy {
	if negated {
		return m.arena.negated(x, float32(m.settings.Negation))
	}
	return x
}

// observed makes rows from the observed links of candidates. For many candidates it goes through the
// links once.
func (m *Machine) observed(b *RowSet) {
	graph := m.model.Graph
	ids := b.top.ids
	b.each = m.arena.each.take(len(ids))
	heads, _ := graph.Edges(b.relation)
	if m.run.Part != nil || lookUp*len(ids) < len(heads) {
		for i, e := range ids {
			m.observe(b, int32(i), graph.Tails(model.EntityID(e), b.relation))
		}
		return
	}
	for i := range b.each {
		m.observe(b, int32(i), nil)
	}
	m.places = reuse.Slice(m.places, m.n)
	for i, e := range ids {
		m.places[e] = int32(i) + 1
	}
	m.run.Part.EachHead(graph, b.relation, func(int32) float32 { return 0 }, func(_ float32, head int32, tails []int32) {
		if i := m.places[head]; i > 0 {
			m.observe(b, i-1, tails)
		}
	})
	for _, e := range ids {
		m.places[e] = 0
	}
}

// observe sets row i to the observed links to some tails. A candidate without any leads nowhere.
func (m *Machine) observe(b *RowSet, i int32, tails []int32) {
	switch {
	case len(tails) > 0:
		for len(m.ones) < len(tails) {
			m.ones = append(m.ones, 1)
		}
		x := m.lists.one()
		x.ids = tails
		x.deg = m.ones[:len(tails)]
		b.each[i] = m.signed(x, b.negated)
	case b.negated:
		b.each[i] = all
	default:
		b.each[i] = none
	}
}
