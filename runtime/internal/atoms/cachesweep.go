package atoms

// KeepSweeps says whether the results of sweeps of the entity table are cached, in the budget of
// rows; by default they are not. Questions that repeat are then answered without sweeps.
func (c *Cache) KeepSweeps(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweeps = on
}

// KeepsSweeps reports whether the results of sweeps are cached.
func (c *Cache) KeepsSweeps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sweeps && c.most > 0
}

// mostMissed is how many names of sweeps that were missing are remembered.
const mostMissed = 1 << 16

// Sweep returns the results of a sweep, which must not be changed, or nil if they are not cached, and
// whether to cache them then. A sweep is cached when it is missing for the second time: one that is
// made only once evicts nothing.
func (c *Cache) Sweep(name SweepName) (results any, wanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[cacheKey{sweep: name}]; e != nil {
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

// KeepSweep caches the results of a sweep, which take some bytes and must not be changed from now on.
func (c *Cache) KeepSweep(name SweepName, results any, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &entry{cacheKey: cacheKey{sweep: name}, results: results, size: bytes}
	if c.kept[e.cacheKey] == nil {
		c.keep(e)
	}
}
