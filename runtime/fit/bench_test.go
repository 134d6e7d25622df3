package fit

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkScores answers queries on FB15k-237 one by one, none of whose rows are
// kept: BenchmarkScores/<shape>.
func BenchmarkScores(b *testing.B) {
	dir := shared.Dir(b, "data", "fb15k-237")
	m := importModel(b, dir, filepath.Join(dir, "complex256.pt"))
	byShape := map[string][]shared.Query{}
	for _, q := range shared.Queries(b, filepath.Join(dir, "queries-dev.jsonl")) {
		byShape[q.Type] = append(byShape[q.Type], q)
	}
	for _, s := range lang.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				shape, bindings := shapeOf(b, byShape[s.Name][i%len(byShape[s.Name])])
				var patterns []runtime.Pattern
				for i := range shape.SCQs {
					patterns = append(patterns, shape.SCQs[i].Pattern())
				}
				rows := NewRows(m, 1)
				e := New(rows, patterns)
				b.StartTimer()
				err := e.Scores(context.Background(), []runtime.Bindings{bindings}, runtime.Degrees{}, func(int, runtime.Vector, []runtime.Vector) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
