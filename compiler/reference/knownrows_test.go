package reference_test

import (
	"context"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestKnownRowsZero asks for known rows alone, of which strong negation leaves some, all or none with a truth degree above
// 0: those are the rows of the reply.
func TestKnownRowsZero(t *testing.T) {
	q, err := lang.ParseFormula(`y, z: !"0"(y, "0") & !"1"("1", z) & size(y) < 2 & size(z) < 3`)
	require.NoError(t, err)
	settings := model.DefaultSettings()
	settings.Degrees = model.Degrees{Candidates: fewEntities, Mixture: 0.8, Negation: 3, Temperature: 1}
	some, none := 0, 0
	for seed := range uint64(100) {
		m, err := plantest.NewModel(seed, fewEntities, fewRelations, 3, settings)
		require.NoError(t, err)
		args := plantest.Arguments{Model: m.Bundle()}
		fit := model.FIT
		oracle, err := reference.NewTuples(context.Background(), m.Bundle(), q, fit, settings, args)
		require.NoError(t, err)
		known, want := 0, 0
		for y := range graph.EntityID(fewEntities) {
			for z := range graph.EntityID(fewEntities) {
				row := []graph.EntityID{y, z}
				if !knownRow(q, args, row) {
					continue
				}
				known++
				if score, _ := oracle.Score(row); score > 0 {
					want++
				}
			}
		}
		p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &fit})
		require.NoError(t, err)
		r, err := p.Ask(context.Background(), nil, runtime.Options{K: 1000, Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
		require.NoError(t, err)
		if len(r.Rows) != want {
			t.Errorf("seed %d: %d of %d known rows, want %d", seed, len(r.Rows), known, want)
		}
		if want > 0 {
			some++
		} else if known > 0 {
			none++
		}
		require.NoError(t, m.Close())
	}
	if some == 0 || none == 0 {
		t.Errorf("%d models have such rows, %d have only rows of degree 0", some, none)
	}
}
