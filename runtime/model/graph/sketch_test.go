package graph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestAppendRelations compares the relations of each entity with the facts, before and after changes.
func TestAppendRelations(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		relations := rapid.SampledFrom([]int{1, 3, 40, 70}).Draw(t, "relations")
		facts := drawTriples(t, n, relations, 200)
		g, err := New(n, relations, facts)
		require.NoError(t, err)
		checkRelations(t, g, edgeSet(facts...))

		more := drawTriples(t, n, relations, 20)
		less := facts[:rapid.IntRange(0, len(facts)).Draw(t, "removed")]
		changed, _, _, err := g.Grown(1).With(more, less)
		require.NoError(t, err)
		want := edgeSet(facts...)
		for e := range edgeSet(less...) {
			delete(want, e)
		}
		for e := range edgeSet(more...) {
			want[e] = true
		}
		checkRelations(t, changed, want)
		checkRelations(t, changed.Plain(), want)
	})
}

// checkRelations compares the relations of each entity with a plain set of facts.
func checkRelations(t *rapid.T, g *Graph, facts map[edge]bool) {
	t.Helper()
	want := make([]map[RelationID]bool, g.NumEntities())
	for e := range facts {
		if want[e.h] == nil {
			want[e.h] = map[RelationID]bool{}
		}
		want[e.h][e.r] = true
	}
	for h, relations := range want {
		got := g.AppendRelations(nil, EntityID(h))
		slices.Sort(got)
		if len(got) != len(relations) || len(slices.Compact(got)) != len(got) || slices.ContainsFunc(got, func(r RelationID) bool { return !relations[r] }) {
			t.Fatalf("entity %d has the relations %v, want %v", h, got, relations)
		}
	}
}
