package graph

import (
	"math/bits"
	"sync"
)

// sketch tells which relations an entity may be a head of, in the lists of a graph. Entities share buckets of a bit for
// each relation, so that all take at most a byte for each pair; graphs that With derives share it too.
type sketch struct {
	made    sync.Once
	words   []uint64
	width   int // words of a bucket
	buckets int
}

// make fills the sketch.
func (s *sketch) make(g *Graph) {
	s.width = (g.NumRelations() + 63) / 64
	s.buckets = min(max(1, len(g.heads)/(8*max(1, s.width))), max(g.n, g.from))
	s.words = make([]uint64, s.width*s.buckets)
	for r := range g.NumRelations() {
		bit := uint64(1) << (r % 64)
		for _, h := range g.heads[g.offsets[r]:g.offsets[r+1]] {
			s.words[int(h)%s.buckets*s.width+r/64] |= bit
		}
	}
}

// AppendRelations appends the directed relations under which h has tails.
func (g *Graph) AppendRelations(list []RelationID, h EntityID) []RelationID {
	s := g.sketch
	s.made.Do(func() { s.make(g) })
	add := func(r RelationID) {
		if len(g.Tails(h, r)) > 0 {
			list = append(list, r)
		}
	}
	from := int(h) % s.buckets * s.width
	for i, word := range s.words[from : from+s.width] {
		for ; word != 0; word &= word - 1 {
			if r := RelationID(64*i + bits.TrailingZeros64(word)); g.changed(r) == nil {
				add(r)
			}
		}
	}
	if g.over != nil {
		for r, c := range g.over.relations {
			if c != nil {
				add(RelationID(r))
			}
		}
	}
	return list
}
