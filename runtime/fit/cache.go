package fit

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime"
)

// DefaultBudget is the memory for rows that are kept, in bytes.
const DefaultBudget = 256 << 20

// Rows makes the rows of a model and keeps them, those that were wanted last as
// long as the budget lasts. It is safe for concurrent use. Queries that share it
// share their rows.
type Rows struct {
	model  *runtime.Model
	budget int

	mu     sync.Mutex
	kept   map[cacheKey]*list.Element // of *entry
	recent list.List                  // the one wanted last in front
	used   int
	makers sync.Pool // of *maker
	leaves map[leafKey]*fuzzy

	runs      atomic.Int64 // memory of the machines that run
	runBudget atomic.Int64 // 0 for no bound
}

type cacheKey struct {
	key
	scale
}

type entry struct {
	cacheKey
	row *fuzzy
}

// attachment is the key of the rows of a model.
type attachment struct{}

// RowsOf returns the rows that the queries on a model share, with the default budget
// unless it was set.
func RowsOf(m *runtime.Model) *Rows {
	return m.Attached(attachment{}, func() any { return newRows(m, DefaultBudget) }).(*Rows)
}

func newRows(m *runtime.Model, budget int) *Rows {
	return &Rows{model: m, budget: budget, kept: map[cacheKey]*list.Element{}, leaves: map[leafKey]*fuzzy{}}
}

// SetBudget sets the memory for rows that are kept, in bytes. With 0 none are kept.
func (c *Rows) SetBudget(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget = bytes
	c.shrink(bytes)
}

// Kept returns the memory that rows which are kept take, in bytes.
func (c *Rows) Kept() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Forget drops all rows that are kept.
func (c *Rows) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(0)
}

// shrink drops the rows that were not wanted for longest until they take no more than
// some memory.
func (c *Rows) shrink(bytes int) {
	for c.used > bytes {
		old := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.kept, old.cacheKey)
		c.used -= old.row.bytes() + entryBytes
	}
}

// fetch makes the rows that requests ask for, those that are kept in no time and the
// others together.
func (c *Rows) fetch(ctx context.Context, s scale, all []runtime.Joint) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, ok := c.makers.Get().(*maker)
	if !ok {
		m = &maker{model: c.model, places: map[key]int{}}
	}
	defer c.makers.Put(m)
	m.scale = s
	m.missing = m.missing[:0]
	clear(m.places)
	c.mu.Lock()
	for _, j := range all {
		r := j.(*request)
		r.made = r.made[:0]
		for _, k := range r.keys {
			if e, ok := c.kept[cacheKey{k, s}]; ok {
				c.recent.MoveToFront(e)
				r.made = append(r.made, e.Value.(*entry).row)
				continue
			}
			r.made = append(r.made, nil)
			if _, again := m.places[k]; !again {
				m.places[k] = len(m.missing)
				m.missing = append(m.missing, k)
			}
		}
	}
	c.mu.Unlock()
	if len(m.missing) == 0 {
		return nil
	}
	if err := m.make(ctx); err != nil {
		return err
	}
	for _, j := range all {
		r := j.(*request)
		for i, k := range r.keys {
			if r.made[i] == nil {
				r.made[i] = m.rows[m.places[k]]
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range m.missing {
		c.keep(cacheKey{k, s}, m.rows[i])
	}
	clear(m.rows)
	return nil
}

// entryBytes is what a kept row takes beside its lists.
const entryBytes = 200

// keep puts a row into the cache, in place of those that were not wanted for long.
func (c *Rows) keep(k cacheKey, row *fuzzy) {
	size := row.bytes() + entryBytes
	if _, ok := c.kept[k]; ok || size > c.budget {
		return
	}
	c.shrink(c.budget - size)
	c.kept[k] = c.recent.PushFront(&entry{k, row})
	c.used += size
}
