package shapes

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestScoresAllocs checks that the plans allocate nothing once a question has been
// answered and its rows are kept: what is allocated for each is the list of entities and
// that of relations that fill its slots, and the list of both; and the copy of the settings
// if the caller has none.
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
		}{{"with settings", &settings, 3}, {"without", nil, 4}} {
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

// TestAnswerAllocs bounds the allocations of an answer with statuses: the memory of its judge is used again.
func TestAnswerAllocs(t *testing.T) {
	m, err := plantest.NewModel(9, 100, 5, 8, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may drop the judge
	rng := rand.New(rand.NewPCG(5, 6))
	const atoms, most = 3, 43 // the search for statuses takes more of larger queries
	for _, p := range Plans() {
		if p.Semantics != model.NSMP || len(p.Disjuncts[0].Atoms) > atoms {
			continue
		}
		q, err := m.Bind(byslot.Spec("", p, nil))
		require.NoError(t, err)
		b := randomArgs(rng, m, p)
		run := func() {
			_, err := q.Ask(context.Background(), b, runtime.Options{})
			require.NoError(t, err)
		}
		run()
		if n := testing.AllocsPerRun(5, run); n > most && !require.Racing {
			t.Errorf("%s: %v allocations, want at most %v", p.Shape, n, most)
		}
	}
}
