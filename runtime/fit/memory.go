package fit

import (
	"fmt"

	"github.com/efoc/efoc/runtime/scq"
)

// MemoryError says that a run needed more memory than the budget of all runs.
type MemoryError struct {
	// Run is the memory of this run, or of its batch; All is the memory of all runs together,
	// in bytes.
	Run, All int64
	// Budget is the limit that SetRunBudget set.
	Budget int64
}

// Error states the budget and what to do.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("truth degrees: this query took %d bytes, and all that run %d, over the limit of %d: "+
		"raise it (Rows.SetRunBudget), or use fewer variables in cycles, fewer negated atoms or fewer candidates", e.Run, e.All, e.Budget)
}

// SetRunBudget bounds the memory of all runs at a time, in bytes; 0 means no bound. It covers
// fuzzy sets and everything else needed to compute them, rows that are not cached, and making
// rows. Cached rows have their own budget: see SetBudget. A run that exceeds it fails with a
// MemoryError.
func (c *Rows) SetRunBudget(bytes int64) {
	c.runBudget.Store(bytes)
	c.hasRoom(0)
}

// Running returns the memory that counts towards the budget of runs, in bytes.
func (c *Rows) Running() int64 { return c.runs.Load() }

// numberBytes is the size of the numbers in an arena.
const numberBytes = 4

// hasRoom reports whether there is memory for more bytes, after dropping everything set aside if need
// be.
func (c *Rows) hasRoom(more int64) bool {
	budget := c.runBudget.Load()
	if budget <= 0 || c.runs.Load()+more <= budget {
		return true
	}
	c.dropAside()
	return c.runs.Load()+more <= budget
}

// charge changes the counted memory of a run from *charged to bytes, and reports whether the budget
// suffices.
func (c *Rows) charge(bytes int64, charged *int64) bool {
	if more := bytes - *charged; more != 0 {
		c.runs.Add(more)
		*charged = bytes
	}
	return c.hasRoom(0)
}

// goesOn counts the memory that the run has taken, and reports whether it may go on:
// neither is there too much of that, nor is it cancelled. Ops that take long ask in
// between, and stop computing; the run has the error.
func (m *Machine) goesOn() bool {
	m.run.Rest()
	if m.run.Err() != nil {
		return false
	}
	if !m.rows.charge(m.room.bytes(), &m.room.charged) {
		m.run.Fail(&MemoryError{
			Run: m.charged + m.rows.loose(m.request.read), All: m.rows.Running(), Budget: m.rows.runBudget.Load(),
		})
		return m.run.Part != nil // where others go on as far as the next exchange
	}
	return true
}

// Release ends a query: the results of its run are not read again.
func (m *Machine) Release() {
	m.rowsAlone = false
	m.pending = mixture{}
	m.clear()
	if m.room == nil {
		return
	}
	r := &m.request
	m.rows.release(r.read)
	clear(r.made[:cap(r.made)])
	clear(r.sets[:cap(r.sets)])
	clear(r.given[:cap(r.given)])
	clear(r.candidates[:cap(r.candidates)])
	clear(r.read)
	r.read = r.read[:0]
	clear(m.Registers)
	m.answer = nil
	m.bindings = scq.Bindings{}
	m.rows.charge(m.room.bytes(), &m.room.charged)
	m.rows.giveRoom(m.room)
	m.room = nil
}
