package exact

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/pause"
)

// defaultBudget bounds the work for a query, in candidates and edges visited: about a second's work. Benchmark
// queries need a thousandth of it.
const defaultBudget = 100_000_000

// ErrBudget reports that a query exceeded the budget, so that its answers are unknown.
var ErrBudget = errors.New("the query needs more work than the budget of exact answers allows")

// Reading selects the meaning of a negated atom that is the only link between its existential variable and the free
// one, as in pni: r1(s1,e1) & !r2(e1,f) & r3(s2,f).
type Reading string

// The readings. All other formulas mean the same under both.
const (
	// Existential follows the formula, and FIT: some e1 with r1(s1,e1) has no edge r2 to f.
	Existential Reading = "existential"
	// Universal follows BetaE, which negates the whole branch: no e1 with r1(s1,e1) has an edge
	// r2 to f.
	Universal Reading = "universal"
)

// Solver finds exact answers. It serves one goroutine at a time. The zero Solver uses the existential reading and the
// default budget.
type Solver struct {
	// Budget bounds the work for each call; 0 means defaultBudget.
	Budget int
	// Reading of negated branches; empty means Existential.
	Reading Reading
	// Context ends calls with its error, and may suspend them (package pause). nil does neither.
	Context context.Context

	n     int
	all   []int32 // all entities, or nil before they are needed
	union collector
	room
	left  int
	look  int   // the remaining work at which to check the context
	err   error // why the call failed
	spent int
}

// lookEvery is the work between checks of the context.
const lookEvery = 1 << 16

// Reset sets the context and the budget of later calls, and keeps the solver's memory.
func (s *Solver) Reset(ctx context.Context, budget int) {
	s.Context = ctx
	s.Budget = budget
	s.spent = 0
	s.forget()
}

// Spent returns the work of all calls since the solver was reset.
func (s *Solver) Spent() int { return s.spent }

func (s *Solver) unite(a, b []int32) []int32 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	s.union.add(a...)
	s.union.add(b...)
	return s.union.take(&s.room)
}

// spend deducts work from the budget and reports whether the call may continue.
func (s *Solver) spend(work int) bool {
	s.left -= work
	s.spent += work
	switch {
	case s.err != nil:
	case s.left < 0:
		s.err = ErrBudget
	case s.Context != nil && s.left <= s.look:
		s.look = s.left - lookEvery
		s.err = pause.Here(s.Context)
	}
	return s.err == nil
}
