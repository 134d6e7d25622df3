package degrees

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// TestShapes checks that every benchmark shape has a plan of this semantics.
func TestShapes(t *testing.T) {
	for _, want := range shapes.ShapesPlans {
		found := slices.ContainsFunc(ShapesPlans, func(p *runtime.Plan) bool { return p.Shape == want.Shape && p.Semantics == string(fit.FIT) })
		if !found {
			t.Errorf("shape %s has no plan", want.Shape)
		}
	}
}

// TestScoresAllocs checks that the plans allocate nothing once a query has been
// answered and its rows are kept.
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
		var b runtime.Bindings
		for range p.Constants {
			b.Constants = append(b.Constants, runtime.EntityID(rng.IntN(m.NumEntities())))
		}
		for range p.Relations {
			b.Relations = append(b.Relations, runtime.RelationID(rng.IntN(m.NumRelations())))
		}
		run := func() {
			if err := q.Scores(context.Background(), b, &settings, ignore); err != nil {
				t.Fatal(err)
			}
		}
		run() // makes the rows
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %v allocations", p.Shape, n)
		}
	}
}
