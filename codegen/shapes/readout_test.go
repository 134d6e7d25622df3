package shapes

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestReadout answers real queries of every shape with readouts decided by bounds, one by one and in batches,
// compares each with the best of the whole answer, and logs how many needed no sweep of the entity table.
func TestReadout(t *testing.T) {
	limit := long.Or(20, 2)
	for _, g := range tested() {
		t.Run(g.name, func(t *testing.T) {
			queries := byShape(shared.Queries(t, shared.Dir(t, "data", g.name, "queries-dev.jsonl")), limit)
			m := openShared(t, g)
			m.Use(plan.Access{Estimates: true, Bounds: true})
			all, asked := int64(0), 0
			for _, s := range benchmark.Shapes {
				if len(queries[s.Name]) == 0 {
					continue
				}
				p := prepareShape(t, m, compiler.EngineCompiled, s.Name)
				before, _ := m.Readouts().Counts()
				var batch []runtime.Args
				var scores [][]float32
				for _, q := range queries[s.Name] {
					b := bind(p, q.Slots)
					batch = append(batch, b)
					got, err := p.Ask(t.Context(), b, runtime.Options{NoStatus: true})
					require.NoError(t, err)
					scores = append(scores, scoresOf(t, p, b))
					compareBest(t, s.Name, got.Rows, scores[len(scores)-1], runtime.DefaultK)
				}
				after, _ := m.Readouts().Counts()
				t.Logf("%-4s %3d of %d decided without a sweep", s.Name, after-before, len(batch))
				all, asked = all+after-before, asked+len(batch)
				results, err := p.AskAll(t.Context(), batch, runtime.Options{NoStatus: true})
				require.NoError(t, err)
				for i, r := range results {
					compareBest(t, s.Name+" in a batch", r.Rows, scores[i], runtime.DefaultK)
				}
			}
			t.Logf("all  %3d of %d", all, asked)
			if 2*int(all) < asked {
				t.Errorf("%d of %d queries were decided without a sweep, want most", all, asked)
			}
		})
	}
}

// compareBest compares answers with the k best of all scores, within the tolerance of the semantics.
func compareBest(t *testing.T, what string, got []runtime.Row, all []float32, k int) {
	t.Helper()
	want := slices.Clone(all)
	slices.SortFunc(want, func(a, b float32) int { return cmp.Compare(b, a) })
	want = want[:min(k, len(want))]
	if len(got) != len(want) {
		t.Fatalf("%s: there are %d answers, want %d", what, len(got), len(want))
	}
	seen := map[graph.EntityID]bool{}
	for i, a := range got {
		if p := all[a.Values[0].ID]; seen[a.Values[0].ID] || !near(float64(a.Score), float64(p)) || !near(float64(p), float64(want[i])) {
			t.Errorf("%s: answer %d is %d with %g, want %g, within %g", what, i, a.Values[0].ID, a.Score, want[i], math.Abs(float64(p))*1e-4)
		}
		seen[a.Values[0].ID] = true
	}
}
