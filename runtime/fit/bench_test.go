package fit_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkScores answers queries on FB15k-237 one by one, without rows of those
// before: BenchmarkScores/<shape>.
func BenchmarkScores(b *testing.B) {
	m := realModel(b)
	byShape := map[string][]shared.Query{}
	for _, q := range shared.Queries(b, filepath.Join(shared.Dir(b, "data", "fb15k-237"), "queries-dev.jsonl")) {
		byShape[q.Type] = append(byShape[q.Type], q)
	}
	for _, s := range lang.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			cache := &compiler.Cache{}
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				p, bindings := realQuery(b, m, byShape[s.Name][i%len(byShape[s.Name])], compiler.PrepareOptions{Cache: cache})
				fit.RowsOf(m).Forget()
				b.StartTimer()
				err := p.Query.Scores(context.Background(), bindings, nil, func(runtime.Vector, []runtime.Vector) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
