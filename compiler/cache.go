package compiler

import (
	"container/list"
	"sync"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/model"
)

// Cache keeps compiled shapes. A query that differs from an earlier one in
// constants, relations, names or the order of its parts alone is found in it. A query
// of the same text is not even analysed again.
// The zero Cache is ready; it is safe for concurrent use.
type Cache struct {
	// Limit bounds the shapes that are kept; 0 means DefaultCacheLimit. The one
	// that was asked for longest ago makes room for a new one. It must not be
	// changed once the cache is in use.
	Limit int

	mu     sync.Mutex
	plans  map[cacheKey]*list.Element
	recent list.List // of *cached, the last used first

	texts texts
}

// DefaultCacheLimit is the number of shapes that a Cache keeps unless told
// otherwise.
const DefaultCacheLimit = 4096

type cacheKey struct {
	shape     string
	layers    int
	semantics model.Semantics
}

type cached struct {
	key      cacheKey
	compiled *Compiled
}

// Len returns the number of shapes that are kept.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}

// Compile returns the compiled form of a shape and whether it was in the cache.
func (c *Cache) Compile(s *lower.Shape, o CompileOptions) (*Compiled, bool, error) {
	o = o.normal()
	key := cacheKey{s.Key, o.Layers, o.Semantics}
	if compiled := c.find(key); compiled != nil {
		return compiled, true, nil
	}
	compiled, err := Compile(s, o)
	if err != nil {
		return nil, false, err
	}
	compiled, raced := c.keep(key, compiled)
	return compiled, raced, nil
}

// find returns what is kept for a key, nil if there is nothing.
func (c *Cache) find(key cacheKey) *Compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.plans[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).compiled
}

// keep adds a compiled shape. If another goroutine was faster, it returns that
// one's, and true.
func (c *Cache) keep(key cacheKey, compiled *Compiled) (*Compiled, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.plans[key]; first != nil {
		return first.Value.(*cached).compiled, true
	}
	if c.plans == nil {
		c.plans = map[cacheKey]*list.Element{}
	}
	limit := c.Limit
	if limit <= 0 {
		limit = DefaultCacheLimit
	}
	for c.recent.Len() >= limit {
		oldest := c.recent.Back()
		delete(c.plans, c.recent.Remove(oldest).(*cached).key)
	}
	c.plans[key] = c.recent.PushFront(&cached{key, compiled})
	return compiled, false
}
