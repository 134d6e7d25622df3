package shapes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestAccess compares the ten best answers of every shape with the reference, on models of several sizes with codes
// and float rows, for each access to the table. If float rows are read, scores have a relative error of at most 10⁻⁵.
func TestAccess(t *testing.T) {
	for _, n := range []int{60, 300, long.Or(3000, 900)} {
		plain, coded := modeltest.Coded(t, n, 16, 0.5)
		exact := runtime.NewModel(plain)
		for i, c := range []struct {
			access plan.Access
			off    float64
		}{
			{plan.Exact, 1e-5},
			{plan.Access{Floats: true, Estimates: true}, 1e-5},
			{plan.Access{Floats: true, Estimates: true, Bounds: true}, 1e-4},
			{plan.Access{}, 0.02},
			{plan.Access{Estimates: true, Bounds: true}, 0.02},
		} {
			t.Run(fmt.Sprintf("%d/%v", n, c.access), func(t *testing.T) {
				m := runtime.NewModel(coded)
				m.Use(c.access)
				rng := rand.New(rand.NewPCG(uint64(n), uint64(i)))
				for _, shape := range benchmark.Shapes {
					for _, s := range []model.Semantics{model.NSMP, model.Mixed} {
						compareAccess(t, m, exact, shape.Name, s, rng, c.off)
					}
				}
			})
		}
	}
}

// compareAccess compares the ten best answers to a random question of a shape with the reference's.
func compareAccess(t *testing.T, m, exact *runtime.Model, shape string, s model.Semantics, rng *rand.Rand, off float64) {
	t.Helper()
	q, err := benchmark.Query(shape)
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Plans: Plans(), Semantics: &s})
	require.NoError(t, err)
	reference, err := compiler.Prepare(exact, q, compiler.Options{Engine: compiler.EngineReference, Semantics: &s})
	require.NoError(t, err)
	var ids []int32
	for _, param := range q.Params {
		most := exact.NumEntities()
		if param.Kind == kind.Relation {
			most = exact.NumRelations()
		}
		ids = append(ids, rng.Int32N(int32(most)))
	}
	args := p.Spec().Args(ids...)
	want, err := reference.Ask(t.Context(), args, runtime.Options{K: 11, NoStatus: true})
	require.NoError(t, err)
	got, err := p.Ask(t.Context(), args, runtime.Options{K: 10, NoStatus: true})
	require.NoError(t, err)
	for i, row := range got.Rows {
		w := want.Rows[i]
		if math.Abs(float64(row.Score-w.Score)) > off*float64(w.Score) {
			t.Errorf("%s by %s: answer %d has score %g, want %g", shape, s, i, row.Score, w.Score)
		}
		next := float64(want.Rows[min(i+1, len(want.Rows)-1)].Score)
		before := float64(want.Rows[max(i-1, 0)].Score)
		tied := i > 0 && before-float64(w.Score) <= 2*off*before || float64(w.Score)-next <= 2*off*float64(w.Score)
		if !tied && row.Values[0].ID != w.Values[0].ID {
			t.Errorf("%s by %s: answer %d is %d, want %d", shape, s, i, row.Values[0].ID, w.Values[0].ID)
		}
	}
}
