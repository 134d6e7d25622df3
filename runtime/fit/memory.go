package fit

import "fmt"

// MemoryError says that a run needed more memory than there is for all that run.
type MemoryError struct {
	// Run is what this run took, All what all took together, in bytes.
	Run, All int64
	// Budget is that of SetRunBudget.
	Budget int64
}

// Error says how much memory there was, and what to do.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("truth degrees: this query took %d bytes, and all that run %d, over the limit of %d: "+
		"use fewer variables in cycles, fewer negated atoms or fewer candidates", e.Run, e.All, e.Budget)
}

// SetRunBudget bounds the memory for the fuzzy sets of all runs at a time, beside the
// rows that are kept, in bytes; 0 means no bound. A run that goes over it fails with a
// MemoryError.
func (c *Rows) SetRunBudget(bytes int64) { c.runBudget.Store(bytes) }

// numberBytes is the size of the numbers in an arena.
const numberBytes = 4

// Bounds on the memory that a machine keeps for the next run: in bytes, and as a share
// of the budget, so that what many keep leaves room for what they need.
const (
	machineKeep  = 64 << 20
	machineShare = 64
)

// goesOn counts the memory that the run has taken, and reports whether it may go on:
// neither is there too much of that, nor is it cancelled. Ops that take long ask in
// between, and stop computing; the workspace has the error.
func (m *Machine) goesOn() bool {
	if taken := numberBytes * int64(m.numbers()); taken != m.charged {
		total := m.rows.runs.Add(taken - m.charged)
		m.charged = taken
		if budget := m.rows.runBudget.Load(); budget > 0 && total > budget {
			m.workspace.Fail(&MemoryError{Run: taken, All: total, Budget: budget})
		}
	}
	return m.workspace.Err() == nil
}

// Release is called when a query is done: what its run took counts no more.
func (m *Machine) Release() {
	m.rows.runs.Add(-m.charged)
	m.charged = 0
	keep := int64(machineKeep)
	if budget := m.rows.runBudget.Load(); budget > 0 {
		keep = min(keep, budget/machineShare)
	}
	if numberBytes*int64(m.numbers()) > keep {
		m.arena = arena{}
	}
}
