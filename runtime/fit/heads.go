package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// anyHead is the head in the key of a leaf.
const anyHead = -1

// heads returns the degrees to which entities have some head of r, whichever it is: 1 where one
// is observed and φ elsewhere, on a part of a split model if that is set. They are kept as rows are.
func (c *Rows) heads(graph *model.Graph, r model.RelationID, phi float32, part bool) *entry {
	k := cacheKey{key: key{h: anyHead, r: r}, scale: scale{leaf: phi}, stamp: graph.Stamp(r)}
	e := func() *entry {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.find(k)
	}()
	if e == nil {
		e = c.add(k, observedHeads(graph, r, phi, part))
	}
	return e
}

// observedHeads is a leaf as it is made, on a part of a split model if that is set.
func observedHeads(g *model.Graph, r model.RelationID, phi float32, part bool) *fuzzy {
	ids := slices.Clone(slices.Compact(slices.Clone(sortedTails(g, r, part))))
	return &fuzzy{rest: phi, ids: ids, deg: slices.Repeat([]float32{1}, len(ids))}
}
