package fit

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/seed"
)

// TestNarrowed compares pushes along observed links into few entities with all facts of a graph. Some of its heads have many
// tails.
func TestNarrowed(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	var facts []graph.Triple
	for range 20 * n {
		head := rng.IntN(1 + rng.IntN(1+rng.IntN(n)))
		facts = append(facts, graph.Triple{Head: graph.EntityID(head), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 2, Facts: facts, Rank: 1, Rows: make([]float32, 2*n), RelationRows: make([]float32, 8)})
	sparse := func(size int) *fuzzy.Set {
		x := &fuzzy.Set{}
		for _, e := range rng.Perm(n)[:size] {
			x.IDs = append(x.IDs, int32(e))
			x.Deg = append(x.Deg, 1-rng.Float32())
		}
		slices.Sort(x.IDs)
		return x
	}
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(uncached(m), &state)
	looked := 0
	for round := range 300 {
		machine.Start(m, model.Degrees{Negation: 1}, Want{})
		rows := []*AtomRows{{relation: graph.RelationID(rng.IntN(4))}, {relation: graph.RelationID(rng.IntN(4)), negated: round%3 == 0}}[:1+round%2]
		top := &Candidates{ids: sparse(1 + rng.IntN(8)).IDs}
		for _, r := range rows {
			r.top = top
			machine.observed(r)
		}
		u := sparse(1 + rng.IntN(n/2))
		known := sparse(1 + rng.IntN(4))
		p := machine.pusher(rows)
		machine.weigh(&p, u)
		got := machine.narrowed(&p, known, u)
		for _, c := range top.ids {
			machine.places[c] = 0
		}
		for e := range int32(n) {
			best := float32(0)
			for _, c := range u.IDs {
				links := func(r *AtomRows) bool {
					return m.Graph.Has(graph.EntityID(c), r.relation, graph.EntityID(e)) != r.negated
				}
				if links(rows[0]) && links(rows[len(rows)-1]) {
					best = max(best, u.At(c))
				}
			}
			if want := best * known.At(e); got.At(e) != want {
				t.Fatalf("round %d: entity %d has degree %v, want %v", round, e, got.At(e), want)
			}
		}
		for _, c := range u.IDs {
			if lookUp*len(known.IDs) < len(m.Graph.Tails(graph.EntityID(c), rows[0].relation)) {
				looked++
			}
		}
	}
	if looked < 20 {
		t.Errorf("%d heads have many more tails than there are entities to narrow, want at least 20", looked)
	}
}
