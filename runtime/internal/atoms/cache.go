package atoms

import (
	"container/list"
	"sync"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// DefaultBudget is the memory for cached rows and sweeps, in bytes.
const DefaultBudget = 256 << 20

// Cache computes the rows of a model, for any version of its facts, and caches the most recently used ones within a
// budget. It is safe for concurrent use. Queries that share it share their rows. On request, it caches the results of
// sweeps of the entity table in the same budget.
//
// Memory counts in one of two budgets. SetBudget bounds the cache. SetRunBudget bounds the memory of runs: the
// uncached rows that they read, and the buffers for making rows, including pooled ones.
type Cache struct {
	model *model.Model
	Norm  fuzzy.Norm // of the plans that read them
	most  int        // bytes to cache, at most

	mu     sync.Mutex
	sweeps bool               // are cached too
	missed map[SweepName]bool // sweeps that were missing once
	kept   map[cacheKey]*entry
	scales map[scale]uint32 // the numbers of scales, from 1
	last   uint32           // of them
	recent list.List        // of cached *entry, most recently used first
	used   int              // bytes cached

	// sources are the latest of the cached sweeps, and of the cached rows that a sweep made.
	sources map[sourceName]*entry
	fewer   *Cache // of the model that this one was made from by adding entities for a short time, nil for others

	factors *factorCache // of models with more entities too
	budget               // of the memory of runs
}

// cacheKey names a cached row, or the results of a sweep.
type cacheKey struct {
	Key
	scale uint32 // see Cache.scales
	stamp uint64 // of the facts that the row depends on
	sweep SweepName
}

// cached returns the key of a row in the cache, given the number of the scale. Regularities depend on all facts of the
// relation.
func (s *scale) cached(x Key, number uint32, g *graph.Graph) cacheKey {
	stamp := g.RowStamp(graph.EntityID(x.H), x.R)
	if s.terms.Any() {
		stamp = g.Stamp(x.R)
	}
	return cacheKey{Key: x, scale: number, stamp: stamp}
}

// sourceName names a row or a sweep for any facts.
type sourceName struct {
	Key
	scale uint32
	sweep SweepName
}

// entry is a row that is read, cached or both; or the cached results of a sweep.
type entry struct {
	cacheKey
	row     *fuzzy.Set
	made    *making       // nil for a row that no sweep made
	results any           // of a sweep
	content SweepName     // of a sweep
	size    int           // of them
	element *list.Element // in the list of cached entries, nil if not cached
	readers int
}

// bytes returns the memory of an entry.
func (e *entry) bytes() int {
	if e.row != nil {
		bytes := e.row.Bytes() + entryBytes
		if e.made != nil {
			bytes += e.made.bytes()
		}
		return bytes
	}
	return e.size + entryBytes
}

// NewCache returns an empty cache of the rows of a model, with the default budget. All queries on the model share
// one.
func NewCache(m *model.Model) *Cache { return newCache(m, DefaultBudget) }

func newCache(m *model.Model, budget int) *Cache {
	return &Cache{
		model: m, Norm: fuzzy.Product{}, most: budget, kept: map[cacheKey]*entry{}, scales: map[scale]uint32{}, missed: map[SweepName]bool{},
		sources: map[sourceName]*entry{}, factors: &factorCache{kept: map[factorsKey]*tailFactors{}},
	}
}

// For returns a cache for a model with more entities, with the same budgets. It is idle, a cache for as many entities
// that nothing uses any more, without its rows and sweeps; or a new one if idle is nil.
func (c *Cache) For(m *model.Model, idle *Cache) *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := idle
	if next == nil {
		next = newCache(m, 0)
	}
	if m.Kept() != nil {
		next.fewer = c
	}
	next.Forget()
	clear(next.missed)
	next.model = m
	next.most = c.most
	next.Norm = c.Norm
	next.sweeps = c.sweeps
	next.factors = c.factors
	next.SetRunBudget(c.limit.Load())
	return next
}

// Reused takes a T from the pool, nil if there is none.
func Reused[T any](c *Cache) *T { return reused[T](&c.budget) }

// SetBudget sets the memory for cached rows and sweeps, in bytes. 0 disables the cache.
func (c *Cache) SetBudget(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = bytes
	c.shrink(bytes)
}

// Kept returns the memory of cached rows and sweeps, in bytes.
func (c *Cache) Kept() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Forget drops all cached rows and sweeps.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(0)
}

// mostScales bounds the numbered scales. Rows of forgotten scales are evicted as all unread rows are.
const mostScales = 1 << 10

// numberOf returns the number of a scale.
func (c *Cache) numberOf(s scale) uint32 {
	number := c.scales[s]
	if number == 0 {
		if len(c.scales) == mostScales {
			clear(c.scales)
		}
		c.last++
		number = c.last
		c.scales[s] = number
	}
	return number
}

// shrink drops the least recently used entries until the rest take at most the given bytes. Rows being read then
// count towards the runs.
func (c *Cache) shrink(bytes int) {
	for c.used > bytes {
		old := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.kept, old.cacheKey)
		if name := old.name(); c.sources[name] == old {
			delete(c.sources, name)
		}
		old.element = nil
		c.used -= old.bytes()
		if old.readers > 0 {
			c.running.Add(int64(old.bytes()))
		}
	}
}

// entryBytes is the memory of a row besides its lists.
const entryBytes = 400

// name returns the name of a row or a sweep for any facts.
func (e *entry) name() sourceName { return sourceName{e.Key, e.scale, e.content} }

// source returns the row that a sweep made under the name of a key, for other facts; nil if none is cached.
func (c *Cache) source(x Key, s scale) *entry {
	c = c.base()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sources[sourceName{Key: x, scale: c.scales[s]}]
}

// base returns the cache for the model with fewer entities that this one was made from for a short time, or c.
func (c *Cache) base() *Cache {
	if c.fewer != nil {
		return c.fewer
	}
	return c
}

// add caches a new row, evicting the least recently used ones, unless the name is taken or there is no memory. made is
// nil unless a sweep made it. add returns the entry to read, with one more reader.
func (c *Cache) add(k cacheKey, row *fuzzy.Set, made *making) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.find(k); old != nil {
		return old
	}
	e := &entry{cacheKey: k, row: row, made: made, readers: 1}
	switch {
	case !c.keep(e):
		c.running.Add(int64(e.bytes()))
	case made != nil:
		c.sources[e.name()] = e
	}
	return e
}

// keep caches a new entry, evicting the least recently used ones, and reports false if there is no memory.
func (c *Cache) keep(e *entry) bool {
	if e.bytes() > c.most {
		return false
	}
	c.shrink(c.most - e.bytes())
	c.kept[e.cacheKey] = e
	e.element = c.recent.PushFront(e)
	c.used += e.bytes()
	return true
}

// find returns the cached row of a name, with one more reader, or nil.
func (c *Cache) find(k cacheKey) *entry {
	e := c.kept[k]
	if e != nil {
		c.recent.MoveToFront(e.element)
		e.readers++
	}
	return e
}

// release removes a reader from each entry.
func (c *Cache) release(read []*entry) {
	if len(read) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range read {
		e.readers--
		if e.readers == 0 && e.element == nil {
			c.running.Add(-int64(e.bytes()))
		}
	}
}

// loose returns the memory of rows that are read but not cached.
func (c *Cache) loose(read []*entry) (bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[*entry]bool{}
	for _, e := range read {
		if e.element == nil && !seen[e] {
			seen[e] = true
			bytes += int64(e.bytes())
		}
	}
	return bytes
}

// SweepName names a sweep by the content of its request; zero for a row.
type SweepName [2]uint64
