package fit

import (
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Machine runs the ops of truth degrees, in the order of a plan. The result of an op does not
// change and lasts until the next run starts. Ops take attributes first and operands last, as
// in plan text. None allocates once the machine has grown to the size of the plan, except for
// rows that are not cached.
type Machine struct {
	*room    // from Start until the query is done
	run      *drive.State
	rows     *Rows
	model    *model.Model // of this run, with its facts
	bindings scq.Bindings // of this run
	settings model.Degrees
	n        int

	probabilities []float32 // of the last mixture, if all degrees are wanted

	mixer mixer

	request request
	deferral
	// rowsAlone leaves out what entities without rows contribute, as other engines
	// do.
	rowsAlone bool
	answer    *Set    // nil if the answer is not made of one
	off       float32 // how far degrees may be off, relative to them
	exacts    map[exactPlace]float32

	// Registers are for callers that run plans value by value. They are cleared when the query
	// is done.
	Registers []Register
}

// Register holds one value of a plan, of any type.
type Register struct {
	Set        *Set
	Candidates *Candidates
	Rows       *RowSet
	Branches   *Branches
}

// Set is a fuzzy set over the entities: one for all branches, or one for each.
type Set struct {
	state
	each []*fuzzy
	made origin
}

// origin records how a set was made, for the tracer to find the values that won.
type origin struct {
	op       op
	index    int // of an atom or a variable
	of       *Set
	with     []*Set
	rows     []*RowSet
	branches *Branches
	constant model.EntityID
	relation model.RelationID
	negated  bool
}

// op distinguishes the ways to make a set.
type op uint8

const (
	anything op = iota
	row
	peak
	diagonal
	push // times the known degrees
	leaf
	other
	each
	follow
	join
	times
	either
)

// Candidates are the best entities of a variable, best first. Some of them, the best at first, have
// rows of their own, the others only rows of observed links.
type Candidates struct {
	state
	ids      []int32
	withRows []int32   // places in ids, ascending
	exact    []float32 // degrees of the first ones

	of    *Set // the degrees of the variable
	times []*Set
	most  int // of the entities
}

// RowSet holds a row for each candidate under a directed relation, negated if the atom is, or
// under an inequality.
type RowSet struct {
	state
	top      *Candidates
	relation model.RelationID
	negated  bool
	unequal  bool // of an inequality, which is no atom
	atom     int
	each     []*fuzzy
}

// Branches are the combinations of values of the variables in the cutset.
type Branches struct {
	state
	weights []float32 // products of the degrees of the values
	parents []int32   // branches of from
	values  []int32   // candidates of top
	top     *Candidates
	from    *Branches // nil for the root
	of      *Set      // the degrees of the values
	rows    []*RowSet // that lead on from them
	index   int       // the variable
}

// NewMachine returns a machine for one run at a time.
func NewMachine(rows *Rows, state *drive.State) *Machine {
	return &Machine{exacts: map[exactPlace]float32{}, run: state, n: rows.model.NumEntities(), rows: rows}
}

// Start starts a run of a plan on a model, the machine's own or one that differs from it only
// in facts.
func (m *Machine) Start(on *model.Model, d model.Degrees, w Want) {
	m.model = on
	if m.room == nil {
		m.room = m.rows.takeRoom()
	}
	m.reset()
	m.norm = m.rows.norm
	clear(m.Registers)
	m.settings = d.OrDefault()
	m.request.start(m)
	m.deferral.start(w, w.Best && m.run.Part == nil && !m.exact() && !m.rowsAlone)
	m.answer = nil
	m.bindings = scq.Bindings{}
	m.off = 0
	m.forgetExact()
}

// Bind gives the run the filters of its inequalities. Without it, there are none.
func (m *Machine) Bind(b scq.Bindings) {
	m.bindings = b
}

// exact reports whether no row is left out.
func (m *Machine) exact() bool { return m.settings.Candidates >= m.entities() }

// set returns a set of some number of branches, to be filled in.
func (m *Machine) set(branches int, made origin) *Set {
	s := m.value(made)
	s.each = m.arena.each.take(branches)
	return s
}

// value returns a set to be evaluated.
func (m *Machine) value(made origin) *Set {
	s := m.arena.sets.one()
	s.made = made
	return s
}

// branch returns the fuzzy set of branch b.
func (s *Set) branch(b int) *fuzzy {
	if len(s.each) == 1 {
		return s.each[0]
	}
	return s.each[b]
}

// single returns the fuzzy set of a set that is one for all branches.
func (s *Set) single() *fuzzy { return s.each[0] }

// Sets and RowSets return lists for operands, which last as long as what ops return.
func (m *Machine) Sets(n int) []*Set { return m.parts.take(n) }

func (m *Machine) RowSets(n int) []*RowSet { return m.rowSets.take(n) }

// Answer says which truth degrees the answer has, or is a mixture of; nil if it has none.
func (m *Machine) Answer(s *Set) { m.answer = s }

// Answered reports whether the answer of the last run has truth degrees.
func (m *Machine) Answered() bool { return m.room != nil && m.answer != nil }
