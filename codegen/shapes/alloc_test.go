package shapes

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestScoresAllocs checks that plans allocate nothing once a question has been answered and its rows are kept,
// except the lists of entities and relations that fill the slots, and the bindings that hold both.
func TestScoresAllocs(t *testing.T) {
	m, err := plantest.NewModel(9, 100, 5, 8, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may drop the workspace
	rng := rand.New(rand.NewPCG(5, 6))
	settings := m.Settings()
	ignore := func(int, *runtime.Run) error { return nil }
	for _, p := range Plans() {
		q, err := m.Bind(byslot.Spec("", p, nil))
		require.NoError(t, err)
		batch := []runtime.Args{randomArgs(rng, m, p)}
		for _, c := range []struct {
			what     string
			settings *model.Settings
			most     float64
		}{{"with settings", &settings, 3}, {"without", nil, 3}} {
			run := func() {
				require.NoError(t, q.Each(context.Background(), batch, c.settings, ignore))
			}
			run() // makes the rows
			n := testing.AllocsPerRun(5, run)
			if n > c.most {
				t.Errorf("%s %s %s: %v allocations, want at most %v", p.Shape, p.Semantics, c.what, n, c.most)
			}
		}
	}
}

// TestAnswerAllocs bounds the allocations of an answer with statuses and confidence, for questions of every shape about
// facts of the built-in model.
func TestAnswerAllocs(t *testing.T) {
	if require.Racing {
		t.Skip("the race detector allocates")
	}
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may drop the judge
	rng := rand.New(rand.NewPCG(5, 6))
	const most = 30
	for _, p := range Plans() {
		q, err := m.Bind(byslot.Spec("", p, nil))
		require.NoError(t, err)
		for range 8 {
			args := observedArgs(rng, m, p)
			run := func() {
				_, err := q.Ask(context.Background(), args, runtime.Options{})
				require.NoError(t, err)
			}
			run()
			if n := testing.AllocsPerRun(3, run); n > most {
				t.Errorf("%s by %s: %v allocations, want at most %v", p.Shape, p.Semantics, n, most)
			}
		}
	}
}

// observedArgs draws values for which each atom with a constant has a fact, unless atoms share the constant.
func observedArgs(rng *rand.Rand, m *runtime.Model, p *plan.Plan) runtime.Args {
	args := randomArgs(rng, m, p)
	for i := range p.Disjuncts {
		for _, a := range p.Disjuncts[i].Atoms {
			if a.Unequal() {
				continue
			}
			heads, tails := m.Bundle().Graph.Edges(graph.RelationID(args[p.Constants+a.Relation].ID))
			fact := rng.IntN(len(heads))
			if a.Head.Constant {
				args[a.Head.Index].ID = heads[fact]
			}
			if a.Tail.Constant {
				args[a.Tail.Index].ID = tails[fact]
			}
		}
	}
	return args
}
