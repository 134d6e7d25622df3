package graph

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// Arrays are the lists of a graph in a bundle.
type Arrays struct {
	// Entities is the number of tails, and of heads unless From is set.
	Entities int
	// From is the number of heads in a shard of a graph; 0 if heads and tails are the same entities.
	From int
	// The triples of directed relation r are those from Offsets[r] to Offsets[r+1]−1.
	Offsets      []int64
	Heads, Tails []int32
	// Mapping is the mapped file behind the lists, if any.
	Mapping *mapfile.File
}

// OfArrays returns the graph with the given lists. It checks the lists, and keeps views of them.
func OfArrays(a Arrays) (*Graph, error) {
	g := &Graph{n: a.Entities, from: a.From, offsets: a.Offsets, heads: a.Heads, tails: a.Tails, mapping: a.Mapping, sketch: &sketch{}}
	return g, g.validate()
}

// Arrays returns the lists to store. The graph must be a result of Plain.
func (g *Graph) Arrays() Arrays {
	return Arrays{Entities: g.n, From: g.from, Offsets: g.offsets, Heads: g.heads, Tails: g.tails, Mapping: g.mapping}
}

// validate checks that the lists satisfy New's guarantees: offsets ascend, ids are in range, pairs strictly ascend
// within a relation, and both directions have the same pairs.
func (g *Graph) validate() error {
	if err := g.validateOffsets(); err != nil {
		return err
	}
	size := 1
	if len(g.heads) < manyFacts {
		size = g.NumRelations()
	}
	return pool.InParts(g.NumRelations()/2, size, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			if err := g.validateRelation(RelationID(2 * r)); err != nil {
				return err
			}
		}
		return nil
	})
}

// manyFacts is the number of pairs that justifies checking relations in parallel.
const manyFacts = 1 << 18

// validateRelation checks both directions of a relation.
func (g *Graph) validateRelation(r RelationID) error {
	forward, err := g.validateEdges(r)
	if err != nil {
		return err
	}
	backward, err := g.validateEdges(r.Inverse())
	if err != nil {
		return err
	}
	if g.from > 0 { // the other direction is in the shards of the heads
		return nil
	}
	if forward.out != backward.in || forward.in != backward.out || forward.count != backward.count {
		return fmt.Errorf("relations %d and %d are not inverse to each other", r, r.Inverse())
	}
	return nil
}

// validateOffsets checks that offsets ascend.
func (g *Graph) validateOffsets() error {
	if len(g.offsets)%2 == 0 || g.offsets[0] != 0 || int(g.offsets[len(g.offsets)-1]) != len(g.heads) || len(g.heads) != len(g.tails) {
		return fmt.Errorf("offsets do not span the %d heads and %d tails", len(g.heads), len(g.tails))
	}
	for r := range g.NumRelations() {
		lo := g.offsets[r]
		hi := g.offsets[r+1]
		if lo > hi || lo < 0 || hi > int64(len(g.heads)) {
			return fmt.Errorf("offsets of relation %d do not ascend", r)
		}
	}
	return nil
}

// edgeSum is an order-independent digest of the pairs of a relation and of the transposed pairs.
type edgeSum struct {
	count   int
	out, in uint64
}

// validateEdges checks the pairs of one directed relation.
func (g *Graph) validateEdges(r RelationID) (sum edgeSum, err error) {
	from := cmp.Or(g.from, g.n)
	last := int64(-1)
	heads, tails := g.Edges(r)
	for i, h := range heads {
		t := tails[i]
		if uint(h) >= uint(from) || uint(t) >= uint(g.n) {
			return sum, fmt.Errorf("relation %d holds the pair (%d, %d), want entities 0 to %d and 0 to %d", r, h, t, from-1, g.n-1)
		}
		at := int64(pack(h, t))
		if at <= last {
			return sum, fmt.Errorf("relation %d is not sorted at the pair (%d, %d)", r, h, t)
		}
		last = at
		sum.out += mix(pack(h, t))
		sum.in += mix(pack(t, h))
	}
	sum.count = len(heads)
	return sum, nil
}

// mix scatters the bits of x (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
