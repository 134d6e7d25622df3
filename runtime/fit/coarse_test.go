package fit_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// codedModel is a random model, which has score terms or not: of float32 rows, or of 8-bit codes with such
// rows beside them.
func codedModel(t *testing.T, seed uint64, dtype table.Type) *runtime.Model {
	t.Helper()
	const n, relations, rank = 400, 3, 40
	rng := rand.New(rand.NewPCG(seed, 3))
	normals := func(n int, scale float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(scale * rng.NormFloat64())
		}
		return x
	}
	var facts []graph.Triple
	for range 3 * n {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: rng.Int32N(relations), Tail: graph.EntityID(rng.IntN(n))})
	}
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: relations, Facts: facts, Rank: rank, Rows: normals(n*2*rank, 0.3), RelationRows: normals(2*relations*2*rank, 0.5),
		Table: dtype, Exact: table.Float32,
	})
	m.Manifest.Settings = model.DefaultSettings()
	if seed%2 == 0 {
		m.Manifest.ScoreTerms = model.ScoreTerms{Frequency: 0.3, Loop: 0.5, Second: 0.5}
	}
	r := runtime.NewModel(m)
	r.Use(plan.Access{}) // codes, if there are any
	t.Cleanup(func() { r.Close() })
	return r
}

// TestCoarse compares the best answers by rows of codes alone with the degrees that rows of codes and low
// bytes give, for every shape.
func TestCoarse(t *testing.T) {
	const each = 2e-4 // of an atom
	worst, coarse := 0.0, 0
	for seed := range uint64(4) {
		m, plain := codedModel(t, seed, table.Int8), codedModel(t, seed, table.Float32)
		rng := rand.New(rand.NewPCG(seed, 8))
		for _, shape := range benchmark.Shapes {
			q, err := benchmark.Query(shape.Name)
			require.NoError(t, err)
			p, exact := prepare(t, m, q, compiler.Options{}), prepare(t, plain, q, compiler.Options{})
			within := each * float64(strings.Count(shape.Formula, "("))
			for range 6 {
				var args []int32
				for _, param := range q.Params {
					limit := m.NumEntities()
					if param.Kind == kind.Relation {
						limit = m.NumRelations()
					}
					args = append(args, rng.Int32N(int32(limit)))
				}
				b := p.Spec().Args(args...)
				d := model.DefaultDegrees()
				d.Candidates, d.Negation, d.Threshold = 1+rng.IntN(20), 0.5+rng.Float64(), []float64{0.0002, 0.004}[rng.IntN(2)]
				o := runtime.Options{K: 1 + rng.IntN(12), SetSize: 2, Settings: settings(m, d), NoStatus: true}
				got, err := p.Ask(t.Context(), b, o)
				require.NoError(t, err)
				all := scores(t, exact, b, d)
				for i, w := range top.Of(all, o.K) {
					a := got.Rows[i]
					if float64(a.Score) != float64(w.Score) {
						coarse++
					}
					off := func(x float32) float64 { return math.Abs(float64(x-w.Score)) / max(1e-9, float64(w.Score)) }
					worst = max(worst, off(a.Score))
					if off(a.Score) > within || off(all[a.Values[0].ID]) > within {
						t.Errorf("%s of %v, %d of %d candidates: answer %d is %d with %v, want %d with %v",
							shape.Name, args, o.K, d.Candidates, i, a.Values[0].ID, a.Score, w.Entity, w.Score)
					}
				}
			}
		}
	}
	if coarse == 0 {
		t.Error("no answer is of coarse rows")
	}
	t.Logf("%d answers differ, by %.2g at most", coarse, worst)
}

// TestCoarseEqual asks pni where more than K values of e1 are observed. A value without a row then gives degree 1, so no
// question takes rows besides those of its constants, which 2i takes too.
func TestCoarseEqual(t *testing.T) {
	m := codedModel(t, 1, table.Int8)
	d := model.DefaultDegrees()
	d.Candidates = 1
	rows := func(shape string, args ...int32) int {
		q, err := benchmark.Query(shape)
		require.NoError(t, err)
		p := prepare(t, m, q, compiler.Options{})
		m.DegreeCache().Forget()
		_, err = p.Ask(t.Context(), p.Spec().Args(args...), runtime.Options{K: 2, Settings: settings(m, d), NoStatus: true})
		require.NoError(t, err)
		return m.DegreeCache().Kept()
	}
	asked := 0
	for s := range int32(m.NumEntities()) {
		if len(m.Bundle().Graph.Tails(graph.EntityID(s), 0)) < 4 {
			continue
		}
		asked++
		if pni, constants := rows("pni", s, s, 0, 2, 4), rows("2i", s, s, 0, 4); pni != constants {
			t.Errorf("pni of entity %d takes %d bytes of rows, those of its constants take %d", s, pni, constants)
		}
	}
	if asked == 0 {
		t.Error("no entity has enough links")
	}
}
