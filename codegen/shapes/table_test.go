package shapes

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/world"
)

// withTable returns a model like m, through a bundle, whose entity table holds
// the values in the given type.
func withTable(t *testing.T, m *query.Model, values []float32, table model.TableType) *query.Model {
	t.Helper()
	p := m.Predictor
	var err error
	if p.EntityTable, err = model.NewTable(values, 2*p.Rank, table); err != nil {
		t.Fatal(err)
	}
	p.EntityNorms = nil
	again, err := model.New(m.Manifest, m.Graph, m.Heldout, p, m.Entities, m.Relations)
	if err != nil {
		t.Fatal(err)
	}
	var bundle bytes.Buffer
	if err := model.Write(&bundle, again); err != nil {
		t.Fatal(err)
	}
	opened, err := query.OpenBytes(string(table), bundle.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened
}

// TestTables answers every shape on tables of 16 bits, and on float32 tables that
// hold the same rounded numbers: those are the same model, so the plans agree
// within the tolerance, and the reference to the bit.
func TestTables(t *testing.T) {
	random, err := plantest.NewModel(11, 300, 4, 9, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	small, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	for _, c := range []struct {
		name    string
		model   *query.Model
		queries int
		engines []compiler.Engine
	}{
		{"random", random, 5, []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterpreted, compiler.EngineLayers, compiler.EngineReference}},
		{"world", small, 2, []compiler.Engine{compiler.EngineCompiled}},
	} {
		for _, table := range []model.TableType{model.BFloat16, model.Float16} {
			half := withTable(t, c.model, c.model.Predictor.EntityTable.Float32s(), table)
			wide := withTable(t, c.model, half.Predictor.EntityTable.Float32s(), model.Float32)
			if half.Predictor.EntityTable.Type() != table || !slices.Equal(half.Predictor.EntityNorms, wide.Predictor.EntityNorms) {
				t.Errorf("%s: norms of %s differ", c.name, table)
			}
			for _, engine := range c.engines {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, table, engine), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(12, 1))
					for _, s := range lang.Shapes {
						p, q := prepareShape(t, half, engine, s.Name), prepareShape(t, wide, engine, s.Name)
						for range c.queries {
							b := randomBindings(rng, half, p.Query.Plan())
							compareTables(t, s.Name, engine, scoresOf(t, p, b), scoresOf(t, q, b))
						}
					}
				})
			}
		}
	}
}

// compareTables compares what two tables of the same numbers answer.
func compareTables(t *testing.T, shape string, engine compiler.Engine, got, want []float32) {
	t.Helper()
	for e, v := range got {
		if engine == compiler.EngineReference && v != want[e] || !near(float64(v), float64(want[e])) {
			t.Errorf("%s: entity %d has probability %g, in a float32 table %g", shape, e, v, want[e])
			return
		}
	}
}

// prepareShape makes the plan of a benchmark shape ready.
func prepareShape(tb testing.TB, m *query.Model, engine compiler.Engine, shape string) *compiler.Prepared {
	tb.Helper()
	q, err := lang.ShapeQuery(shape)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := compiler.Prepare(m, q, compiler.PrepareOptions{Engine: engine, Plans: ShapesPlans, Semantics: new(model.NSMP)})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// scoresOf returns the probability of every entity.
func scoresOf(tb testing.TB, p *compiler.Prepared, b scq.Bindings) (scores []float32) {
	tb.Helper()
	err := p.Query.Scores(context.Background(), b, nil, func(x query.Vector, _ []query.Vector) error {
		scores = slices.Clone(x)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return scores
}
