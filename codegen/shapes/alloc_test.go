package shapes

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/runtime"
)

// TestScoresAllocs checks that the plans allocate nothing once a query has been
// answered: what is allocated for each is the copy of the settings, and that only
// if the caller has none.
func TestScoresAllocs(t *testing.T) {
	m, err := plantest.NewModel(9, 600, 5, 8, runtime.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may drop the workspace
	rng := rand.New(rand.NewPCG(5, 6))
	settings := m.Manifest.Settings
	ignore := func(runtime.Vector, []runtime.Vector) error { return nil }
	for _, p := range ShapesPlans {
		q, err := runtime.NewQuery(m, p, runtime.QueryNames{})
		if err != nil {
			t.Fatal(err)
		}
		b := randomBindings(rng, m, p)
		for _, c := range []struct {
			what     string
			settings *runtime.Settings
			most     float64
		}{{"with settings", &settings, 0}, {"without", nil, 1}} {
			n := testing.AllocsPerRun(20, func() {
				if err := q.Scores(context.Background(), b, c.settings, ignore); err != nil {
					t.Fatal(err)
				}
			})
			if n > c.most {
				t.Errorf("%s %s: %v allocations, want at most %v", p.Shape, c.what, n, c.most)
			}
		}
	}
}
