package atoms

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
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
		"raise it (Cache.SetRunBudget), or use fewer variables in cycles, fewer negated atoms or fewer candidates", e.Run, e.All, e.Budget)
}

// budget counts the memory of runs, the memory set aside for later ones included.
type budget struct {
	running atomic.Int64
	limit   atomic.Int64 // 0 for no bound

	mu         sync.Mutex
	aside      []setAside
	asideBytes int64
}

// setAside is something that a run has used and a later one may use again, as long as there is memory for it.
type setAside struct {
	thing any
	bytes int64
}

// SetRunBudget bounds the memory of all runs at a time, in bytes; 0 means no bound. It covers
// fuzzy sets and everything else needed to compute them, rows that are not cached, and making
// rows. Cached rows have their own budget: see SetBudget. A run that exceeds it fails with a
// MemoryError.
func (b *budget) SetRunBudget(bytes int64) {
	b.limit.Store(bytes)
	b.hasRoom(0)
}

// Running returns the memory that counts towards the budget of runs, in bytes.
func (b *budget) Running() int64 { return b.running.Load() }

// hasRoom reports whether there is memory for more bytes, after dropping everything set aside if need
// be.
func (b *budget) hasRoom(more int64) bool {
	limit := b.limit.Load()
	if limit <= 0 || b.running.Load()+more <= limit {
		return true
	}
	b.dropAside()
	return b.running.Load()+more <= limit
}

// Charge changes the counted memory of a run from *charged to bytes, and reports whether the budget
// suffices.
func (b *budget) Charge(bytes int64, charged *int64) bool {
	if more := bytes - *charged; more != 0 {
		b.running.Add(more)
		*charged = bytes
	}
	return b.hasRoom(0)
}

// exceeded is the error of a run that has taken too much.
func (b *budget) exceeded(run int64) error {
	return &MemoryError{Run: run, All: b.running.Load(), Budget: b.limit.Load()}
}

// asideShare is the share of the budget of runs that may be set aside for later ones,
// and mostAside is how much may be where there is no bound.
const (
	asideShare = 4
	mostAside  = 256 << 20
)

// reused takes a T that was set aside, nil if there is none.
func reused[T any](b *budget) *T {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, x := range slices.Backward(b.aside) {
		if thing, is := x.thing.(*T); is {
			b.asideBytes -= x.bytes
			b.aside = slices.Delete(b.aside, i, i+1)
			return thing
		}
	}
	return nil
}

// Put sets a thing aside whose memory is counted, or, if there is too much set aside, no longer counts it.
func (b *budget) Put(thing any, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := int64(mostAside)
	if limit := b.limit.Load(); limit > 0 {
		most = limit / asideShare
	}
	if b.asideBytes+bytes > most {
		b.running.Add(-bytes)
		return
	}
	b.asideBytes += bytes
	b.aside = append(b.aside, setAside{thing, bytes})
}

// dropAside drops everything set aside.
func (b *budget) dropAside() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running.Add(-b.asideBytes)
	b.aside = nil
	b.asideBytes = 0
}
