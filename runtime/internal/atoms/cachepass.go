package atoms

// KeepPasses says whether the results of passes over the entity table are cached, in the budget of
// rows; by default they are not. Questions that repeat are then answered without passes.
func (c *Rows) KeepPasses(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passes = on
}

// KeepsPasses reports whether the results of passes are cached.
func (c *Rows) KeepsPasses() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passes && c.most > 0
}

// mostMissed is how many names of passes that were missing are remembered.
const mostMissed = 1 << 16

// Pass returns the results of a pass, which must not be changed, or nil if they are not cached, and
// whether to cache them then. A pass is cached when it is missing for the second time: one that is
// made only once evicts nothing.
func (c *Rows) Pass(name PassName) (results any, wanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[cacheKey{pass: name}]; e != nil {
		c.recent.MoveToFront(e.element)
		return e.results, false
	}
	if c.missed[name] {
		return nil, true
	}
	if len(c.missed) == mostMissed {
		clear(c.missed)
	}
	c.missed[name] = true
	return nil, false
}

// KeepPass caches the results of a pass, which take some bytes and must not be changed from now on.
func (c *Rows) KeepPass(name PassName, results any, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &entry{cacheKey: cacheKey{pass: name}, results: results, size: bytes}
	if c.kept[e.cacheKey] == nil {
		c.keep(e)
	}
}
