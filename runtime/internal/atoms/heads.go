package atoms

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// anyHead stands for any head in a key.
const anyHead = -1

// Heads returns the degrees to which entities have any head of a relation: 1 if one is observed, otherwise φ. They
// are cached like rows.
func (r *Request) Heads(of graph.RelationID, phi float32) *fuzzy.Set {
	c := r.rows
	graph := r.facts.Graph
	k := cacheKey{Key: Key{H: anyHead, R: of}, stamp: graph.Stamp(of)}
	e := func() *entry {
		c.mu.Lock()
		defer c.mu.Unlock()
		k.scale = c.numberOf(scale{leaf: phi})
		return c.find(k)
	}()
	if e == nil {
		e = c.add(k, observedHeads(graph, of, phi, r.part != nil), nil)
	}
	r.read = append(r.read, e)
	return e.row
}

// observedHeads computes Heads, on a part of a split model if part is set.
func observedHeads(g *graph.Graph, r graph.RelationID, phi float32, part bool) *fuzzy.Set {
	ids := slices.Clone(slices.Compact(slices.Clone(sortedTails(g, r, part))))
	return &fuzzy.Set{Rest: phi, IDs: ids, Deg: slices.Repeat([]float32{1}, len(ids))}
}
