package fit_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkScores answers queries on FB15k-237 one by one with K = 32, without rows of
// those before: BenchmarkScores/<shape>.
func BenchmarkScores(b *testing.B) {
	m := realModel(b)
	d := model.DefaultDegrees()
	d.Candidates = 32
	wide := settings(m, d)
	byShape := map[string][]shared.Query{}
	for _, q := range shared.Queries(b, filepath.Join(shared.Dir(b, "data", "fb15k-237"), "queries-dev.jsonl")) {
		byShape[q.Type] = append(byShape[q.Type], q)
	}
	for _, s := range benchmark.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			cache := &stages.Cache{}
			var queries []*compiler.Prepared
			var args []runtime.Args
			for _, q := range byShape[s.Name] {
				p, x := realQuery(b, m, q, compiler.Options{Cache: cache})
				queries, args = append(queries, p), append(args, x)
			}
			ignore := func(int, *runtime.Run) error { return nil }
			for i := 0; b.Loop(); i++ {
				m.DegreeCache().Forget()
				j := i % len(queries)
				require.NoError(b, queries[j].Each(context.Background(), args[j:j+1], wide, ignore))
			}
		})
	}
}
