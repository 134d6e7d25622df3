package atoms

// KeepSweeps turns caching of sweeps of the entity table on or off, in the budget of rows; it is off by default. With
// it, repeated questions need no sweeps.
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

// mostMissed bounds the remembered names of missing sweeps.
const mostMissed = 1 << 16

// Sweep returns the cached results of a sweep, which must not be changed: whole ones, or else the latest of a sweep with
// the same content. If there are no whole ones, it returns whether to cache them. A sweep is cached at its second miss:
// one that occurs only once evicts nothing.
func (c *Cache) Sweep(name, content SweepName) (results any, whole, wanted bool) {
	results, wanted = c.swept(name)
	if results != nil {
		return results, true, false
	}

	c = c.base()
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.sources[sourceName{sweep: content}]; e != nil {
		c.recent.MoveToFront(e.element)
		results = e.results
	}
	return results, false, wanted
}

// swept returns the results of a sweep; if there are none it returns nil, and whether it missed them before.
func (c *Cache) swept(name SweepName) (results any, before bool) {
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

// KeepSweep caches the results of a sweep, of the given bytes, which must not change any more.
func (c *Cache) KeepSweep(name, content SweepName, results any, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &entry{cacheKey: cacheKey{sweep: name}, content: content, results: results, size: bytes}
	if c.kept[e.cacheKey] == nil && c.keep(e) {
		c.sources[e.name()] = e
	}
}
