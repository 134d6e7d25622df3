package graph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// drawTriples draws triples over n entities and the given number of relations,
// some of them twice.
func drawTriples(t *rapid.T, n, relations, most int) []Triple {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Triple {
		return Triple{
			Head:     EntityID(rapid.IntRange(0, n-1).Draw(t, "head")),
			Relation: int32(rapid.IntRange(0, relations-1).Draw(t, "relation")),
			Tail:     EntityID(rapid.IntRange(0, n-1).Draw(t, "tail")),
		}
	}), 0, most).Draw(t, "triples")
}

// edge is a directed triple.
type edge struct {
	h EntityID
	r RelationID
	t EntityID
}

// edgeSet is the graph as a plain set of directed triples.
func edgeSet(triples ...Triple) map[edge]bool {
	set := map[edge]bool{}
	for _, t := range triples {
		r := RelationID(2 * t.Relation)
		set[edge{t.Head, r, t.Tail}] = true
		set[edge{t.Tail, r.Inverse(), t.Head}] = true
	}
	return set
}

// TestGraph compares a graph with a plain set.
func TestGraph(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		triples := drawTriples(t, n, relations, 40)
		given := slices.Clone(triples)
		g, err := New(n, relations, triples)
		require.NoError(t, err)
		if !slices.Equal(triples, given) {
			t.Fatal("New changed its input")
		}
		require.NoError(t, g.validate())
		want := edgeSet(triples...)
		if g.NumEntities() != n || g.NumRelations() != 2*relations {
			t.Fatalf("%d entities and %d relations, want %d and %d", g.NumEntities(), g.NumRelations(), n, 2*relations)
		}
		checkGraph(t, g, want)
		for r := range RelationID(2 * relations) {
			for h := range EntityID(n) {
				for x := range EntityID(n) {
					if g.Has(h, r, x) != want[edge{h, r, x}] {
						t.Fatalf("Has(%d, %d, %d) is wrong", h, r, x)
					}
				}
			}
		}
	})
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		n, relations int
		triple       Triple
		want         string
	}{
		{0, 1, Triple{}, "0 entities"},
		{math.MaxInt32 + 1, 1, Triple{}, "entities"},
		{1, math.MaxInt32, Triple{}, "relations"},
		{1, -1, Triple{}, "relations"},
		{2, 1, Triple{Head: 2}, "triple 0: head is entity 2, want 0 to 1"},
		{2, 1, Triple{Tail: -1}, "tail is entity -1"},
		{2, 1, Triple{Relation: 1}, "relation is 1, want 0 to 0"},
	} {
		if _, err := New(c.n, c.relations, []Triple{c.triple}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	if err := CheckSizes(1, 1, MaxTriples+1); err == nil {
		t.Error("accepted more facts than a graph has")
	}
	if err := CheckSizes(1, 1, math.MaxInt32); err != nil {
		t.Errorf("more directed facts than an int32 counts: %v", err)
	}
}

// TestGraphValidate breaks each invariant of the arrays in turn.
func TestGraphValidate(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(g *Graph)
	}{
		{"span", func(g *Graph) { g.offsets = g.offsets[:len(g.offsets)-1] }},
		{"span", func(g *Graph) { g.offsets[0] = 1 }},
		{"span", func(g *Graph) { g.tails = g.tails[1:] }},
		{"ascend", func(g *Graph) { g.offsets[1] = 5 }},
		{"ascend", func(g *Graph) { g.offsets[1] = math.MaxInt32 }},
		{"ascend", func(g *Graph) { g.offsets[1] = -1 }},
		{"want entities", func(g *Graph) { g.tails[1] = 3 }},
		{"want entities", func(g *Graph) { g.heads[1] = -1 }},
		{"sorted", func(g *Graph) { g.tails[0], g.tails[1] = g.tails[1], g.tails[0] }},
		{"sorted", func(g *Graph) { g.tails[1] = g.tails[0] }},
		{"inverse", func(g *Graph) { g.tails[2] = 2 }},
	} {
		g, err := New(3, 2, []Triple{{0, 0, 1}, {0, 0, 2}, {2, 1, 0}})
		require.NoError(t, err)
		require.NoError(t, g.validate())
		c.spoil(g)
		if err := g.validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// TestSearch compares Search with the count of smaller numbers.
func TestSearch(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int32Range(-5, 40), 0, 40).Draw(t, "list")
		slices.Sort(list)
		x := rapid.Int32Range(-6, 41).Draw(t, "x")
		smaller := 0
		for _, y := range list {
			if y < x {
				smaller++
			}
		}
		if got := Search(list, x); got != smaller {
			t.Fatalf("%d is at %d of %v, want %d", x, got, list, smaller)
		}
	})
}
