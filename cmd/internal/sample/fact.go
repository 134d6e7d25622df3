package sample

import (
	"math/rand/v2"

	"github.com/efoc/efoc/runtime/model/graph"
)

// Fact returns a random fact of a graph.
func Fact(rng *rand.Rand, g *graph.Graph) graph.Triple {
	at := rng.IntN(g.NumTriples())
	r := graph.RelationID(0)
	heads, tails := g.Edges(r)
	for at >= len(heads) {
		at -= len(heads)
		r += 2
		heads, tails = g.Edges(r)
	}
	return graph.Triple{Head: graph.EntityID(heads[at]), Relation: int32(r / 2), Tail: graph.EntityID(tails[at])}
}
