package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Row returns the row of entity e, negated if its atom is; Make computes it. scores, if not nil, are the scores of
// all entities by message passing, negated if the atom is; exact says that they do not come from codes alone.
func (m *Machine) Row(e graph.EntityID, r graph.RelationID, d graph.Direction, s graph.Sign, atom int, scores []float32) *Set {
	x := m.set(1, origin{op: row, index: atom, constant: e, relation: r.Toward(d), negated: bool(s)})
	sign := float32(1)
	if s {
		sign = -1
	}
	m.constants = append(m.constants, x)
	m.request.Given = append(m.request.Given, atoms.Given{Scores: scores, Sign: sign})
	return x
}

// Rows returns the rows of candidates; Make computes them.
func (m *Machine) Rows(r graph.RelationID, d graph.Direction, s graph.Sign, atom int, top *Candidates) *AtomRows {
	x := m.rows.One()
	*x = AtomRows{top: top, relation: r.Toward(d), negated: bool(s), atom: atom}
	m.candidates = append(m.candidates, x)
	return x
}

// Make computes the rows requested since the last call, with one sweep of the entity table for rows that are not
// cached. After an error the rows are empty, and the workspace has the error: the context's, or a MemoryError. Rows
// of candidates may be deferred until the run ends: see Finish. before, if not nil, makes a sweep that must precede
// this one, and reports whether it served both; it is called at most once, and only if a sweep is needed. After it, a
// worker may call beside once while others make rows of the results.
func (m *Machine) Make(before func(more *sweep.Request) bool, beside func()) {
	m.deferRows()
	if len(m.constants)+len(m.candidates) == 0 {
		return
	}
	r := &m.request
	if slices.ContainsFunc(m.candidates, func(b *AtomRows) bool { return b.top.state == waits }) {
		constants := m.constants
		candidates := m.candidates
		given := r.Given
		m.constants = nil
		m.candidates = nil
		r.Given = nil
		m.now()
		m.constants = constants
		m.candidates = candidates
		r.Given = given
	}
	r.Before = before
	r.Beside = beside
	m.makeAll(false)
	r.Before = nil
	r.Beside = nil
	m.empty()
}

// deferRows defers the rows of candidates that may be deferred.
func (m *Machine) deferRows() {
	var rows []*AtomRows
	stay := m.candidates[:0]
	for i, b := range m.candidates {
		if m.next(&step{rows: m.candidates[i : i+1]}) != wait {
			stay = append(stay, b)
			continue
		}
		if rows == nil {
			rows = m.AtomRows(len(m.candidates))[:0]
		}
		rows = append(rows, b)
	}
	m.candidates = stay
	if len(rows) > 0 {
		m.do(step{rows: rows})
	}
}
