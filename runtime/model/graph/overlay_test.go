package graph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestGraphWith changes a graph step by step and compares every step with a plain set, also
// after all others have been made of it.
func TestGraphWith(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		// Many rows are merged before anybody reads them.
		n := rapid.SampledFrom([]int{1, 4, 9, minChangedRows + 50}).Draw(t, "n")
		relations := rapid.IntRange(1, 3).Draw(t, "relations")
		first := drawTriples(t, n, relations, 40)
		g, err := New(n, relations, first)
		require.NoError(t, err)
		set := edgeSet(first...)
		graphs, sets := []*Graph{g}, []map[edge]bool{set}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			add, remove := drawTriples(t, n, relations, 20), drawTriples(t, n, relations, 20)
			if n > 9 && rapid.Bool().Draw(t, "star") {
				for h := range n {
					add = append(add, Triple{Head: EntityID(h), Tail: EntityID(n / 2)})
				}
			}
			at := len(graphs) - 1
			if rapid.IntRange(0, 3).Draw(t, "branch") == 0 {
				at = rapid.IntRange(0, at).Draw(t, "from")
			}
			next, added, removed, err := graphs[at].With(add, remove)
			require.NoError(t, err)
			want := map[edge]bool{}
			for e := range sets[at] {
				want[e] = true
			}
			for e := range edgeSet(remove...) {
				delete(want, e)
			}
			for e := range edgeSet(add...) {
				want[e] = true
			}
			came, went := 0, 0
			for e := range want {
				if !sets[at][e] {
					came++
				}
			}
			for e := range sets[at] {
				if !want[e] {
					went++
				}
			}
			if added*2 != came || removed*2 != went || (next == graphs[at]) != (came+went == 0) {
				t.Fatalf("added %d and removed %d, want %d and %d directed triples", added, removed, came, went)
			}
			for r := RelationID(0); int(r) < 2*relations; r++ {
				for h := range EntityID(n) {
					same := slices.Equal(graphs[at].Tails(h, r), next.Tails(h, r))
					if stamp := next.RowStamp(h, r); !same && (stamp == graphs[at].RowStamp(h, r) || stamp > next.Stamp(r)) {
						t.Fatalf("the row of %d under %d has changed, its stamp has not", h, r)
					}
				}
			}
			graphs, sets = append(graphs, next), append(sets, want)
			if rapid.Bool().Draw(t, "read") {
				checkGraph(t, next, want)
			}
		}
		for i, g := range graphs {
			checkGraph(t, g, sets[i])
		}
	})
}

// checkGraph compares a graph with a plain set.
func checkGraph(t *rapid.T, g *Graph, want map[edge]bool) {
	t.Helper()
	plain := g.Plain()
	require.NoError(t, plain.validate())
	if 2*g.NumTriples() != len(want) || 2*plain.NumTriples() != len(want) {
		t.Fatalf("%d triples, want %d", g.NumTriples(), len(want)/2)
	}
	for r := RelationID(0); int(r) < g.NumRelations(); r++ {
		heads, tails := g.Edges(r)
		h, x := plain.Edges(r)
		if !slices.Equal(heads, h) || !slices.Equal(tails, x) {
			t.Fatalf("relation %d: pairs %v %v, stored as %v %v", r, heads, tails, h, x)
		}
		at := 0
		for h := range EntityID(g.NumEntities()) {
			row := g.Tails(h, r)
			if !slices.Equal(row, tails[at:at+len(row)]) {
				t.Fatalf("relation %d: tails of %d are %v, the pairs have %v", r, h, row, tails[at:])
			}
			for _, tail := range row {
				if heads[at] != int32(h) || !want[edge{h, r, EntityID(tail)}] || !g.Has(h, r, EntityID(tail)) {
					t.Fatalf("relation %d: pair (%d, %d) at %d", r, h, tail, at)
				}
				at++
			}
		}
		if at != len(heads) {
			t.Fatalf("relation %d: rows have %d tails, there are %d pairs", r, at, len(heads))
		}
	}
}
