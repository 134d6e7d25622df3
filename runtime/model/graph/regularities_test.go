package graph

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// randomFacts draws facts of few relations over few entities, so that loops, symmetric facts and
// overlaps occur.
func randomFacts(rng *rand.Rand, n, relations, count int) []Triple {
	var facts []Triple
	for range count {
		t := Triple{Head: EntityID(rng.IntN(n)), Relation: rng.Int32N(int32(relations)), Tail: EntityID(rng.IntN(n))}
		facts = append(facts, t)
		switch rng.IntN(4) {
		case 0:
			facts = append(facts, Triple{Head: t.Tail, Relation: t.Relation, Tail: t.Head})
		case 1:
			facts = append(facts, Triple{Head: t.Tail, Relation: (t.Relation + 1) % int32(relations), Tail: t.Head})
		}
	}
	return facts
}

// others reports whether an entity has a fact beside one, whose relation is directed.
func others(g *Graph, e EntityID, beside Triple) bool {
	for r := range RelationID(g.NumRelations()) {
		for t := range EntityID(g.NumEntities()) {
			is := e == beside.Head && t == beside.Tail && int32(r) == beside.Relation || e == beside.Tail && t == beside.Head && int32(r) == beside.Relation^1
			if g.Has(e, r, t) && !is {
				return true
			}
		}
	}
	return false
}

// countedOneByOne counts regularities by looking at every pair of facts.
func countedOneByOne(g *Graph) []Regularity {
	list := make([]Regularity, g.NumRelations()/2)
	for r := range RelationID(g.NumRelations()) {
		end := &list[r/2].Ends[r&1]
		for h := range EntityID(g.NumEntities()) {
			tails := 0
			last := EntityID(-1)
			for t := range EntityID(g.NumEntities()) {
				if g.Has(h, r, t) {
					tails++
					last = t
				}
			}
			if tails == 1 && others(g, h, Triple{h, int32(r), last}) && others(g, last, Triple{h, int32(r), last}) {
				end.Lone++
			}
			if !r.IsInverse() {
				list[r/2].Facts += tails
			}
			end.Most = max(end.Most, tails)
			if tails > 0 {
				end.Heads++
			}
			if tails > 1 {
				end.Several++
			}
		}
	}
	shared := func(r, with RelationID) (n int) {
		for h := range EntityID(g.NumEntities()) {
			for t := range EntityID(g.NumEntities()) {
				if h != t && g.Has(h, r, t) && g.Has(h, with, t) {
					n++
				}
			}
		}
		return n
	}
	for i := range list {
		r := RelationID(2 * i)
		for h := range EntityID(g.NumEntities()) {
			if g.Has(h, r, h) {
				list[i].Loops++
			}
		}
		list[i].Symmetric = shared(r, r.Inverse())
		for with := range RelationID(g.NumRelations()) {
			if n := shared(r, with); with/2 != r/2 && n >= leastOverlap {
				list[i].Overlaps = append(list[i].Overlaps, Overlap{with, n})
			}
		}
	}
	return list
}

// sameRegularities compares regularities, and overlaps if there are few enough to have them all; Most
// may be larger where facts were removed. Overlaps and lone heads are counted together.
func sameRegularities(t *testing.T, got, want []Regularity, overlaps, removed bool) {
	t.Helper()
	for i := range want {
		g, w := got[i], want[i]
		if g.Facts != w.Facts || g.Loops != w.Loops || g.Symmetric != w.Symmetric {
			t.Fatalf("relation %d: %+v, want %+v", i, g, w)
		}
		for d := range w.Ends {
			a, b := g.Ends[d], w.Ends[d]
			if a.Heads != b.Heads || a.Several != b.Several || overlaps && a.Lone != b.Lone || a.Most < b.Most || !removed && a.Most != b.Most {
				t.Fatalf("relation %d, direction %d: %+v, want %+v", i, d, a, b)
			}
		}
		if overlaps {
			slices.SortFunc(g.Overlaps, func(a, b Overlap) int { return int(a.With - b.With) })
			if !slices.Equal(g.Overlaps, w.Overlaps) {
				t.Fatalf("relation %d overlaps %v, want %v", i, g.Overlaps, w.Overlaps)
			}
		}
	}
}

// TestRegularities compares regularities with a count of all pairs, in graphs whose relations have
// too few others for any overlap to be left out.
func TestRegularities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n, relations := 2+rng.IntN(14), 1+rng.IntN(4)
		g, err := New(n, relations, randomFacts(rng, n, relations, rng.IntN(60)))
		require.NoError(t, err)
		got := g.Regularities()
		require.NoError(t, CheckRegularities(got, relations))
		sameRegularities(t, got, countedOneByOne(g), true, false)
	}
}

// TestRegularitiesFollow changes facts, many at a time, and compares the regularities with a count of
// the changed graph.
func TestRegularitiesFollow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		n, relations := 2+rng.IntN(10), 1+rng.IntN(3)
		g, err := New(n, relations, randomFacts(rng, n, relations, 30))
		require.NoError(t, err)
		list := g.Regularities()
		for range 10 {
			add, remove := randomFacts(rng, n, relations, rng.IntN(8)), randomFacts(rng, n, relations, rng.IntN(8))
			next, _, _, err := g.With(add, remove)
			require.NoError(t, err)
			list = next.RegularitiesAfter(g, list, slices.Compact(slices.SortedFunc(slices.Values(slices.Concat(add, remove)), Triple.Compare)))
			sameRegularities(t, list, countedOneByOne(next), false, true)
			g = next
		}
	}
}

// TestHeadRanges checks that ranges cover all entities once, and that a graph in many ranges has the
// overlaps of one in a single range.
func TestHeadRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	g, err := New(50, 3, randomFacts(rng, 50, 3, 300))
	require.NoError(t, err)
	ranges := g.headRanges(20)
	if len(ranges) < 10 || ranges[0] != 0 || ranges[len(ranges)-1] != 50 || !slices.IsSorted(ranges) || len(slices.Compact(slices.Clone(ranges))) != len(ranges) {
		t.Fatalf("ranges %v", ranges)
	}
	whole, parts := map[[2]RelationID]int{}, map[[2]RelationID]int{}
	g.overlapsIn(0, 50, whole)
	for i := range len(ranges) - 1 {
		g.overlapsIn(ranges[i], ranges[i+1], parts)
	}
	if !maps.Equal(parts, whole) {
		t.Errorf("in parts %v, want %v", parts, whole)
	}
}
