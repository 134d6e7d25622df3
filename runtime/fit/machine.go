package fit

import (
	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
)

// Machine runs the ops of truth degrees, in the order of a plan. The result of an op does not change and lasts until
// the next run starts. Ops take attributes first and operands last, as in plan text. Once the machine has grown to
// the size of the plan, only rows that are not cached allocate.
type Machine struct {
	sharpener
	deferral
	answer *Set // nil if the answer is not made of one

	mixer         mixer
	probabilities []float32 // of the last mixture, if all degrees are wanted
	tracer        tracer    // of the last witness

	// Registers are for callers that run plans value by value. Release clears them.
	Registers []Register
}

// Register holds one value of a plan, of any type.
type Register struct {
	Set        *Set
	Candidates *Candidates
	Rows       *AtomRows
	Branches   *Branches
}

// NewMachine returns a machine for one run at a time.
func NewMachine(rows *atoms.Cache, state *drive.State) *Machine {
	return &Machine{sharpener: sharpener{work: work{run: state, cache: rows}, exacts: map[exactPlace]float32{}}}
}

// Start starts a run of a plan on a model: the machine's own, or one that differs from it only in facts.
func (m *Machine) Start(on *model.Model, d model.Degrees, w Want) {
	m.work.start(on, d)
	m.request.Floats = w.Floats
	defers := w.Best && m.part == nil && !m.exact() && !m.rowsAlone
	m.deferral.start(w, defers)
	m.sharpener.start(defers && !w.Floats && atoms.ReadsCodes(on, &m.settings, m.run.Batched()))
	m.answer = nil
	clear(m.Registers)
}

// Release ends a query and invalidates the results of its run.
func (m *Machine) Release() {
	m.rowsAlone = false
	m.pending = mixture{}
	m.clear()
	if m.room == nil {
		return
	}
	m.work.release()
	m.answer = nil
	clear(m.Registers)
}

// Sets and AtomRows return lists for operands, valid as long as the results of ops.
func (m *Machine) Sets(n int) []*Set { return m.setLists.Take(n) }

func (m *Machine) AtomRows(n int) []*AtomRows { return m.rowLists.Take(n) }

// Answer records the truth degrees of the answer, or the ones that enter it if it is a mixture; nil if there are none.
func (m *Machine) Answer(s *Set) { m.answer = s }

// Answered reports whether the answer of the last run has truth degrees.
func (m *Machine) Answered() bool { return m.room != nil && m.answer != nil }

// ReadsCodes reports whether rows may be coarse: only the best answers are wanted, and codes are read
// faster than their low bytes.
func (m *Machine) ReadsCodes() bool { return m.codes }

// Exactly returns the exact degree of an entity in the answer.
func (m *Machine) Exactly(e int32) float32 { return m.exactly(m.answer, 0, e) }

// do runs or defers a step.
func (m *Machine) do(x step) {
	switch m.next(&x) {
	case wait:
		m.steps = append(m.steps, x)
		x.mark(waits)
	case observe:
		m.observeAlone(x.rows)
		x.mark(made)
	case evaluate:
		m.evaluate(x, false)
		x.mark(made)
	case renew:
		m.evaluate(x, true)
		x.mark(again)
	case keep:
		x.mark(made)
	}
}

// doAll runs the deferred steps in a phase.
func (m *Machine) doAll(p phase) {
	before := m.phase
	m.phase = p
	for _, x := range m.steps {
		m.do(x)
	}
	m.phase = before
}

// evaluate evaluates a step whose operands are ready; partly keeps values that observed links alone determine.
func (m *Machine) evaluate(x step, partly bool) {
	m.forgetExact()
	switch {
	case x.dst != nil:
		x.set.single().Dense(x.dst)
	case x.top != nil:
		m.choose(x.top)
	case x.branches != nil:
		m.split(x.branches)
	case x.set == nil:
		own := m.candidates
		m.candidates = x.rows
		m.makeAll(partly)
		m.candidates = own
	default:
		switch x.set.made.op {
		case push:
			m.push(x.set, partly)
		case times:
			m.multiply(x.set, partly)
		case either:
			m.unite(x.set)
		case each:
			m.rowsOfValues(x.set, partly)
		case follow:
			m.ofParents(x.set, partly)
		case join:
			m.overBranches(x.set)
		}
	}
}

// now evaluates all deferred steps.
func (m *Machine) now() {
	m.doAll(allRows)
	m.clear()
}
