package fit_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestBest compares the best answers, for which some rows are left out, with the degrees of all
// entities, for every shape and many numbers of answers and candidates. Fewer rows must be made
// than for all degrees, in some shapes.
func TestBest(t *testing.T) {
	fewer := map[string]int{}
	for seed := range uint64(6) {
		m := smallModel(t, seed)
		m.Use(plan.Access{Floats: true, Estimates: true}) // like a large table: by default a small one makes all rows
		rng := rand.New(rand.NewPCG(seed, 8))
		for _, shape := range benchmark.Shapes {
			q, err := benchmark.Query(shape.Name)
			require.NoError(t, err)
			p := prepare(t, m, q, compiler.Options{})
			for range 12 {
				var args []int32
				for _, param := range q.Params {
					limit := m.NumEntities()
					if param.Kind == kind.Relation {
						limit = m.NumRelations()
					}
					args = append(args, int32(rng.IntN(limit)))
				}
				b := p.Spec().Args(args...)
				d := model.DefaultDegrees()
				d.Candidates, d.Negation = 1+rng.IntN([]int{2, 20}[rng.IntN(2)]), 1+2*float64(rng.IntN(2))
				o := runtime.Options{K: 1 + rng.IntN(12), Settings: settings(m, d), NoStatus: true}
				m.DegreeCache().Forget()
				got, err := p.Ask(context.Background(), b, o)
				require.NoError(t, err)
				made := m.DegreeCache().Kept()
				m.DegreeCache().Forget()
				all := scores(t, p, b, d)
				if made < m.DegreeCache().Kept() {
					fewer[shape.Name]++
				}
				for i, w := range top.Of(all, o.K) {
					a := got.Rows[i]
					if math.Abs(float64(a.Score-w.Score)) > 1e-5*float64(w.Score) || math.Abs(float64(all[a.Values[0].ID]-w.Score)) > 1e-5*float64(w.Score) {
						t.Errorf("%s of %v, %d of %d candidates: answer %d is %d with %v, want %d with %v",
							shape.Name, args, o.K, d.Candidates, i, a.Values[0].ID, a.Score, w.Entity, w.Score)
					}
				}
			}
		}
	}
	for _, shape := range []string{"2p", "3p", "pi", "ip", "2m", "3pm", "im", "pni"} {
		if fewer[shape] == 0 {
			t.Errorf("%s: rows are made of all candidates, or none", shape)
		}
	}
	t.Logf("queries with fewer rows: %v", fewer)
}
