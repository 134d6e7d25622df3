package fit

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// uncached returns the rows of a model, of which it keeps none.
func uncached(m *model.Model) *atoms.Cache {
	c := atoms.NewCache(m)
	c.SetBudget(0)
	return c
}

// TestObserved compares the rows of observed links of few and of many candidates with the graph.
func TestObserved(t *testing.T) {
	const n = 300
	_, m := modeltest.Coded(t, n, 40, 0.4)
	rng := rand.New(rand.NewPCG(9, 9))
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(uncached(m), &state)
	for round := range 40 {
		machine.Start(m, model.Degrees{Negation: 0.5}, Want{})
		top := &Candidates{}
		for _, e := range rng.Perm(n)[:1+rng.IntN([]int{3, n}[round%2])] {
			top.ids = append(top.ids, int32(e))
		}
		b := &AtomRows{top: top, relation: graph.RelationID(rng.IntN(4)), negated: round%4 > 1}
		machine.observed(b)
		for i, h := range top.ids {
			for e := range int32(n) {
				want := float32(0)
				if m.Graph.Has(graph.EntityID(h), b.relation, graph.EntityID(e)) {
					want = 1
				}
				if b.negated {
					want = fuzzy.Negate(want, 0.5)
				}
				if got := b.each[i].At(e); got != want {
					t.Fatalf("%d candidates, negated %v: the link of %d to %d by %d has degree %v, want %v", len(top.ids), b.negated, h, e, b.relation, got, want)
				}
			}
		}
	}
}
