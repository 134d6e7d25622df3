package scq_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestHolds compares the search with brute force, on one graph and on the union
// of two.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		var graphs []*model.Graph
		all := modeltest.Facts{}
		for range rapid.IntRange(1, 2).Draw(t, "graphs") {
			f := modeltest.DrawFacts(t, n, relations, 15)
			graphs = append(graphs, f.Graph(t, n, relations))
			maps.Copy(all, f)
		}
		p, b := modeltest.DrawPattern(t, n, 2*relations)
		answers := all.Answers(n, []scq.Graph{p}, b)
		s := scq.NewSearch(graphs, &p, b)
		for e := range int32(n) {
			_, want := slices.BinarySearch(answers, e)
			got, complete := s.Holds(model.EntityID(e), 1_000_000)
			if got != want || !complete {
				t.Fatalf("answer %d: got %v (complete %v), want %v; pattern %+v %+v", e, got, complete, want, p, b)
			}
			// A small budget may leave it open, but never answers wrongly.
			got, complete = s.Holds(model.EntityID(e), 2)
			if complete && got != want || got && !complete {
				t.Fatalf("answer %d with a small budget: got %v (complete %v), want %v", e, got, complete, want)
			}
		}
	})
}

// TestHoldsBudget checks that the search gives up at its budget, and that it allocates nothing.
func TestHoldsBudget(t *testing.T) {
	// Every entity but 0 leads to 1, which leads nowhere.
	var triples []model.Triple
	for e := model.EntityID(2); e < 100; e++ {
		triples = append(triples, model.Triple{Head: e, Relation: 0, Tail: 1}, model.Triple{Head: 0, Relation: 0, Tail: e})
	}
	g, err := model.NewGraph(100, 2, triples)
	require.NoError(t, err)
	// ∃x r(0,x) ∧ r(x,y) ∧ ¬r(x,y) never holds of y = 1.
	p := &scq.Graph{Variables: []string{"y", "x"}, Atoms: []scq.Atom{
		{Relation: 0, Head: scq.Const(0), Tail: scq.Var(1)},
		{Relation: 0, Head: scq.Var(1), Tail: scq.Var(0)},
		{Relation: 0, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
	}}
	b := scq.Bindings{Constants: []model.EntityID{0}, Relations: []model.RelationID{0}}
	s := scq.NewSearch([]*model.Graph{g}, p, b)
	if holds, complete := s.Holds(1, 1000); holds || !complete {
		t.Errorf("with enough: %v %v", holds, complete)
	}
	if holds, complete := s.Holds(1, 50); holds || complete {
		t.Errorf("with too little: %v %v", holds, complete)
	}
	if allocs := testing.AllocsPerRun(10, func() { s.Holds(1, 1000) }); allocs > 0 {
		t.Errorf("a search allocates %v times", allocs)
	}
	if holds, complete := scq.NewSearch(nil, p, b).Holds(1, 50); holds || complete {
		t.Errorf("without graph: %v %v", holds, complete)
	}
}
