package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// anyHead is the head in the key of any head.
const anyHead = -1

// heads returns the degrees to which entities have some head of a relation, whichever it is: 1 where one
// is observed and φ elsewhere. They are kept as rows are.
func (r *request) heads(of model.RelationID, phi float32) *fuzzy {
	c := r.rows
	graph := r.facts.Graph
	k := cacheKey{key: key{h: anyHead, r: of}, scale: scale{leaf: phi}, stamp: graph.Stamp(of)}
	e := func() *entry {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.find(k)
	}()
	if e == nil {
		e = c.add(k, observedHeads(graph, of, phi, r.part != nil))
	}
	r.read = append(r.read, e)
	return e.row
}

// observedHeads are the heads as they are made, on a part of a split model if that is set.
func observedHeads(g *model.Graph, r model.RelationID, phi float32, part bool) *fuzzy {
	ids := slices.Clone(slices.Compact(slices.Clone(sortedTails(g, r, part))))
	return &fuzzy{rest: phi, ids: ids, deg: slices.Repeat([]float32{1}, len(ids))}
}
