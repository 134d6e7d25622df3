package atoms

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// MemoryError says that a run needed more memory than the budget of all runs.
type MemoryError struct {
	// Run is the memory of this run, or of its batch; All is the memory of all runs, in bytes.
	Run, All int64
	// Budget is the limit set by SetRunBudget.
	Budget int64
}

// Error states the budget and gives advice.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("truth degrees: this query took %d bytes, and all that run %d, over the limit of %d: "+
		"raise it (Cache.SetRunBudget), or use fewer variables in cycles, fewer negated atoms or fewer candidates", e.Run, e.All, e.Budget)
}

// budget counts the memory of runs, including memory pooled for later ones.
type budget struct {
	running atomic.Int64
	limit   atomic.Int64 // 0 for no bound

	mu         sync.Mutex
	aside      []setAside
	asideBytes int64
}

// setAside is a buffer pooled for later runs while memory suffices.
type setAside struct {
	thing any
	bytes int64
}

// SetRunBudget bounds the memory of all concurrent runs, in bytes; 0 means no bound. It covers fuzzy sets and
// everything else needed to compute them, rows that are not cached, and making rows. Cached rows have their own
// budget: see SetBudget. A run that exceeds it fails with a MemoryError.
func (b *budget) SetRunBudget(bytes int64) {
	b.limit.Store(bytes)
	b.hasRoom(0)
}

// Running returns the memory that counts towards the budget of runs, in bytes.
func (b *budget) Running() int64 { return b.running.Load() }

// hasRoom reports whether more bytes are available, after dropping pooled buffers if necessary.
func (b *budget) hasRoom(more int64) bool {
	limit := b.limit.Load()
	if limit <= 0 || b.running.Load()+more <= limit {
		return true
	}
	b.dropAside()
	return b.running.Load()+more <= limit
}

// Charge changes the memory charged to a run from *charged to bytes, and reports whether the budget suffices.
func (b *budget) Charge(bytes int64, charged *int64) bool {
	if more := bytes - *charged; more != 0 {
		b.running.Add(more)
		*charged = bytes
	}
	return b.hasRoom(0)
}

// exceeded returns the error for a run that exceeds the budget.
func (b *budget) exceeded(run int64) error {
	return &MemoryError{Run: run, All: b.running.Load(), Budget: b.limit.Load()}
}

// asideShare bounds the share of the run budget in pooled buffers; mostAside bounds them without a budget.
const (
	asideShare = 4
	mostAside  = 256 << 20
)

// reused takes a T from the pool, nil if there is none.
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

// Put pools a charged buffer, or, if the pool is full, drops it and its charge.
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

// dropAside empties the pool.
func (b *budget) dropAside() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running.Add(-b.asideBytes)
	b.aside = nil
	b.asideBytes = 0
}
