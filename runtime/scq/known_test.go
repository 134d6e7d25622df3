package scq_test

import (
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestHoldsBudget checks that the search gives up at its budget, and that it allocates nothing.
// Package exact compares what it says with brute force.
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
