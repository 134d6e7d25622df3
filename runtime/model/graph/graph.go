package graph

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// Graph is a set of observed triples over n entities: the adjacency matrices M_r of all directed relations. Triples
// are sorted by relation, head and tail, and stored in both directions, so the rows of M_r^T are the rows of the
// inverse relation. A Graph is immutable; With returns a changed one.
type Graph struct {
	n       int
	from    int     // number of heads in a shard, whose tails are n of them; 0 if they are the same
	offsets []int64 // 2|R|+1; the triples of r are [offsets[r], offsets[r+1])
	heads   []int32
	tails   []int32

	mapping *mapfile.File // the mapped file behind the lists, if any
	sketch  *sketch       // of the lists
	over    *overlay      // nil until With changes the graph
}

// New returns the graph of the given triples over n entities and |R| relations. Duplicates count once. It refuses ids
// out of range, and more entities or directed relations than fit into 31 bits.
func New(n, relations int, triples []Triple) (*Graph, error) {
	if err := CheckSizes(n, relations, len(triples)); err != nil {
		return nil, err
	}
	// Bring the triples of each relation together.
	starts := make([]int, relations+1)
	for i, t := range triples {
		if err := t.check(n, relations); err != nil {
			return nil, fmt.Errorf("triple %d: %w", i, err)
		}
		starts[t.Relation+1]++
	}
	for r := range relations {
		starts[r+1] += starts[r]
	}
	groups := pairsOf(triples, starts)
	// Sort each group in both directions.
	g := &Graph{
		n:       n,
		sketch:  &sketch{},
		offsets: make([]int64, 1, 2*relations+1),
		heads:   make([]int32, 0, 2*len(triples)),
		tails:   make([]int32, 0, 2*len(triples)),
	}
	for r := range relations {
		group := groups(r)
		slices.Sort(group)
		group = slices.Compact(group)
		g.add(group)
		for i, p := range group {
			h, t := unpack(p)
			group[i] = pack(t, h)
		}
		slices.Sort(group)
		g.add(group)
	}
	return g, nil
}

// pairsOf returns a function that returns the pairs of a relation, whose triples start at starts in order of
// relation. If triples are already sorted by relation, the pairs are valid until the next call.
func pairsOf(triples []Triple, starts []int) func(r int) []uint64 {
	if slices.IsSortedFunc(triples, func(a, b Triple) int { return int(a.Relation) - int(b.Relation) }) {
		var group []uint64
		return func(r int) []uint64 {
			group = group[:0]
			for _, t := range triples[starts[r]:starts[r+1]] {
				group = append(group, pack(int32(t.Head), int32(t.Tail)))
			}
			return group
		}
	}
	pairs := make([]uint64, len(triples))
	next := slices.Clone(starts)
	for _, t := range triples {
		pairs[next[t.Relation]] = pack(int32(t.Head), int32(t.Tail))
		next[t.Relation]++
	}
	return func(r int) []uint64 { return pairs[starts[r]:starts[r+1]] }
}

// add appends the pairs of the next directed relation.
func (g *Graph) add(pairs []uint64) {
	for _, p := range pairs {
		h, t := unpack(p)
		g.heads = append(g.heads, h)
		g.tails = append(g.tails, t)
	}
	g.offsets = append(g.offsets, int64(len(g.heads)))
}

// MaxTriples bounds the triples of a graph.
const MaxTriples = 1 << 40

// CheckSizes refuses a graph whose ids would not fit into an int32.
func CheckSizes(n, relations, triples int) error {
	switch {
	case n < 1 || n > math.MaxInt32:
		return fmt.Errorf("graph of %d entities, want 1 to %d", n, math.MaxInt32)
	case relations < 0 || relations > math.MaxInt32/2:
		return fmt.Errorf("graph of %d relations, want at most %d", relations, math.MaxInt32/2)
	case triples > MaxTriples:
		return fmt.Errorf("graph of %d triples, want at most %d", triples, MaxTriples)
	}
	return nil
}

// pack orders pairs of ids by first, then by second.
func pack(first, second int32) uint64 { return uint64(first)<<32 | uint64(second) }

// unpack is the inverse of pack.
func unpack(p uint64) (first, second int32) { return int32(p >> 32), int32(p & math.MaxUint32) }

// NumEntities returns n.
func (g *Graph) NumEntities() int { return g.n }

// NumRelations returns 2|R|, the number of directed relations.
func (g *Graph) NumRelations() int { return len(g.offsets) - 1 }

// NumTriples returns the number of distinct triples.
func (g *Graph) NumTriples() int {
	if g.over != nil {
		return g.over.triples
	}
	return len(g.heads) / 2
}

// Edges returns the pairs (head, tail) of r, sorted by head, then tail: the non-zero cells of
// M_r. Callers must not write to the slices.
func (g *Graph) Edges(r RelationID) (heads, tails []int32) {
	if c := g.changed(r); c != nil {
		p := c.all()
		return p.heads, p.tails
	}
	lo := g.offsets[r]
	hi := g.offsets[r+1]
	return g.heads[lo:hi], g.tails[lo:hi]
}

// Edge returns pair i of all directed relations in sequence, for a graph that has not changed.
func (g *Graph) Edge(i int) (head EntityID, r RelationID, tail EntityID) {
	at := sort.Search(g.NumRelations(), func(r int) bool { return g.offsets[r+1] > int64(i) })
	return EntityID(g.heads[i]), RelationID(at), EntityID(g.tails[i])
}

// Tails returns the entities t with r(h, t), ascending. Callers must not write to the slice.
func (g *Graph) Tails(h EntityID, r RelationID) []int32 {
	if c := g.changed(r); c != nil {
		if row, ok := c.rows[int32(h)]; ok {
			return row
		}
		return tailsIn(c.pairs.heads, c.pairs.tails, h)
	}
	lo := g.offsets[r]
	hi := g.offsets[r+1]
	return tailsIn(g.heads[lo:hi], g.tails[lo:hi], h)
}

// tailsIn returns the tails of a head in sorted pairs.
func tailsIn(heads, tails []int32, h EntityID) []int32 {
	lo := Search(heads, int32(h))
	n := 0
	// Rows are usually short: find the end by galloping search.
	for step := 1; lo+n < len(heads) && heads[lo+n] == int32(h); step *= 2 {
		n += step
	}
	hi := min(lo+n, len(heads))
	return tails[lo : lo+Search(heads[lo:hi], int32(h)+1)]
}

// Search returns the index of the first number of a sorted list that is at least x. It has no branches to mispredict,
// and takes less than half the time of slices.BinarySearch.
func Search(list []int32, x int32) int {
	lo := 0
	for n := len(list); n > 0; {
		half := (n + 1) / 2
		if list[lo+half-1] < x {
			lo += half
		}
		n -= half
	}
	return lo
}

// Has reports whether r(h, t) is in the graph.
func (g *Graph) Has(h EntityID, r RelationID, t EntityID) bool {
	_, ok := slices.BinarySearch(g.Tails(h, r), int32(t))
	return ok
}

// HasTriple reports whether a triple is in the graph.
func (g *Graph) HasTriple(t Triple) bool { return g.Has(t.Head, RelationID(2*t.Relation), t.Tail) }
