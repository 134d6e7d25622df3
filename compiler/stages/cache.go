package stages

import (
	"cmp"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/model"
)

// Cache caches compiled shapes. Queries that differ only in constants, relations, names or the order of their
// parts share an entry. A repeated text is not even analysed again. The zero Cache is ready to use and safe for
// concurrent use.
type Cache struct {
	// Limit bounds the number of shapes; 0 means defaultLimit. The least recently used
	// shape is evicted. Do not change it once the cache is in use.
	Limit int

	plans lru[cacheKey, *Compiled]
	texts lru[textKey, *Analysis]
}

// defaultLimit is the default number of shapes in a Cache.
const defaultLimit = 4096

type cacheKey struct {
	shape     string
	layers    int
	semantics model.Semantics
}

// Len returns the number of cached shapes.
func (c *Cache) Len() int { return c.plans.len() }

// Compile returns the compiled form of a shape, and whether it was in the cache.
func (c *Cache) Compile(s *lower.Shape, o Options) (*Compiled, bool, error) {
	o = o.Normal()
	key := cacheKey{s.Key, o.Layers, o.Semantics}
	if compiled, ok := c.plans.find(key); ok {
		return compiled, true, nil
	}
	compiled, err := Compile(s, o)
	if err != nil {
		return nil, false, err
	}
	compiled, raced := c.plans.keep(key, compiled, 0, cmp.Or(max(c.Limit, 0), defaultLimit))
	return compiled, raced, nil
}
