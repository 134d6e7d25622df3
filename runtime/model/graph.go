package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// Graph is a set of observed triples over n entities: the adjacency matrices M_r of every directed
// relation. Triples are sorted by relation, head and tail, and stored in both directions, so the rows
// of M_r^T are the rows of the inverse relation. A Graph is immutable; With returns a changed one.
type Graph struct {
	n       int
	from    int     // number of heads in a shard, whose tails are n of them; 0 if they are the same
	offsets []int64 // 2|R|+1; the triples of r are [offsets[r], offsets[r+1])
	heads   []int32
	tails   []int32

	mapping *mapfile.File // what the lists lie in, if that is a mapped file
	over    *overlay      // nil until With changes the graph
}

// Triple is the fact that relation Relation of the graph, 0 ≤ Relation < |R|,
// leads from Head to Tail.
type Triple struct {
	Head     EntityID
	Relation int32
	Tail     EntityID
}

// NewGraph returns the graph of the given triples over n entities and |R| relations. A repeated
// triple counts once. It refuses ids out of range, and numbers of entities or directed
// relations that do not fit into 31 bits.
func NewGraph(n, relations int, triples []Triple) (*Graph, error) {
	if err := checkSizes(n, relations, len(triples)); err != nil {
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

// pairsOf returns a function that returns the pairs of a relation, whose triples would start at starts
// if they were sorted by relation. If they are, the pairs are valid until the next call.
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

// checkSizes refuses a graph whose ids would not fit into an int32.
func checkSizes(n, relations, triples int) error {
	switch {
	case n < 1 || n > math.MaxInt32:
		return fmt.Errorf("graph of %d entities, want 1 to %d", n, math.MaxInt32)
	case relations < 0 || relations > math.MaxInt32/2:
		return fmt.Errorf("graph of %d relations, want at most %d", relations, math.MaxInt32/2)
	case triples > maxFacts:
		return fmt.Errorf("graph of %d triples, want at most %d", triples, maxFacts)
	}
	return nil
}

// check reports an id of t that is out of range.
func (t Triple) check(n, relations int) error {
	switch {
	case t.Head < 0 || int(t.Head) >= n:
		return fmt.Errorf("head is entity %d, want 0 to %d", t.Head, n-1)
	case t.Relation < 0 || int(t.Relation) >= relations:
		return fmt.Errorf("relation is %d, want 0 to %d", t.Relation, relations-1)
	case t.Tail < 0 || int(t.Tail) >= n:
		return fmt.Errorf("tail is entity %d, want 0 to %d", t.Tail, n-1)
	}
	return nil
}

// pack orders pairs of ids by first, then by second.
func pack(first, second int32) uint64 { return uint64(first)<<32 | uint64(second) }

// unpack undoes pack.
func unpack(p uint64) (first, second int32) { return int32(p >> 32), int32(p & math.MaxUint32) }

// stored returns the offsets in the form that a bundle has.
func (g *Graph) stored() *offsets {
	o := newOffsets(len(g.offsets), g.offsets[len(g.offsets)-1])
	for _, at := range g.offsets {
		o.add(at)
	}
	return &o
}

// NumEntities returns n.
func (g *Graph) NumEntities() int { return g.n }

// NumRelations returns 2|R|, the number of directed relations.
func (g *Graph) NumRelations() int { return len(g.offsets) - 1 }

// NumTriples returns the number of triples, each counted once.
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

// Edge returns pair i among the pairs of all directed relations, one after the other, of a graph
// that has not changed.
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

// tailsIn returns the tails of a head among sorted pairs.
func tailsIn(heads, tails []int32, h EntityID) []int32 {
	lo, _ := slices.BinarySearch(heads, int32(h))
	n := 0
	// Rows are usually short: find the end by galloping search.
	for step := 1; lo+n < len(heads) && heads[lo+n] == int32(h); step *= 2 {
		n += step
	}
	hi := min(lo+n, len(heads))
	end, _ := slices.BinarySearch(heads[lo:hi], int32(h)+1)
	return tails[lo : lo+end]
}

// Has reports whether r(h, t) is in the graph.
func (g *Graph) Has(h EntityID, r RelationID, t EntityID) bool {
	_, ok := slices.BinarySearch(g.Tails(h, r), int32(t))
	return ok
}

// validate checks what NewGraph guarantees of the arrays of a graph that was
// read: offsets that ascend, ids in range, pairs strictly ascending within a
// relation, and the same pairs in both directions.
func (g *Graph) validate() error {
	if err := g.validateOffsets(); err != nil {
		return err
	}
	size := 1
	if len(g.heads) < manyFacts {
		size = g.NumRelations()
	}
	return inParts(g.NumRelations()/2, size, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			if err := g.validateRelation(RelationID(2 * r)); err != nil {
				return err
			}
		}
		return nil
	})
}

// manyFacts is how many pairs are worth checking relation by relation, side by side.
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

// edgeSum is an order-free digest of the pairs of a relation and of the
// transposed pairs.
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
