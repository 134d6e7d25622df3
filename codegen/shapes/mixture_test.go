package shapes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// TestSemantics checks that every benchmark shape is answered by generated code whatever the
// semantics, and compares its answers with the reference.
func TestSemantics(t *testing.T) {
	m, err := plantest.NewModel(3, 50, 4, 6, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	plans, cache := Plans(), &compiler.Cache{}
	rng := rand.New(rand.NewPCG(4, 5))
	for _, semantics := range model.AllSemantics {
		for _, s := range lang.Shapes {
			q, err := lang.ShapeQuery(s.Name)
			if err != nil {
				t.Fatal(err)
			}
			var answers [2][]float32
			var b scq.Bindings
			for i, engine := range []compiler.Engine{compiler.EngineAuto, compiler.EngineReference} {
				p, err := compiler.Prepare(m, q, compiler.PrepareOptions{Engine: engine, Plans: plans, Semantics: new(semantics), Cache: cache})
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					b = randomBindings(rng, m, p.Query.Plan())
					if p.Engine != compiler.EngineCompiled {
						t.Errorf("%s by %s has engine %s", s.Name, semantics, p.Engine)
					}
				}
				answers[i] = scoresOf(t, p, b)
			}
			for e, want := range answers[1] {
				if got := answers[0][e]; math.Abs(float64(got-want)) > 1e-3*float64(want)+3e-7 {
					t.Errorf("%s by %s: entity %d has %g, want %g", s.Name, semantics, e, got, want)
					break
				}
			}
		}
	}
}
