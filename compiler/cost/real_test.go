package cost_test

import (
	"context"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkPredict compares what is predicted for the benchmark shapes on FB15k-237
// with the median of runs whose rows of truth degrees are not kept. The constants are
// measured before the runs of each shape and after them, or once with -short.
func BenchmarkPredict(b *testing.B) {
	m := openReal(b)
	measure := func() (*cost.Constants, error) {
		return cost.Measure(context.Background(), &m.Predictor.EntityTable, goruntime.GOMAXPROCS(0))
	}
	if testing.Short() {
		measure = sync.OnceValues(measure)
	}
	queries := map[string][]shared.Query{}
	for _, q := range shared.Queries(b, shared.Dir(b, "data", "fb15k-237", "queries-dev.jsonl")) {
		queries[q.Type] = append(queries[q.Type], q)
	}
	for _, semantics := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
		b.Run(semantics.String(), func(b *testing.B) {
			for _, s := range lang.Shapes {
				b.Run(s.Name, func(b *testing.B) { benchmarkShape(b, m, s.Name, semantics, queries[s.Name], measure) })
			}
		})
	}
}

// openReal imports FB15k-237 and opens it.
func openReal(b *testing.B) *query.Model {
	b.Helper()
	dir, out := shared.Dir(b, "data", "fb15k-237"), filepath.Join(b.TempDir(), "fb15k-237.efoc")
	o := importer.Options{Graph: dir, Checkpoint: filepath.Join(dir, "complex256.pt"), Output: out}
	if _, err := importer.Import(context.Background(), o); err != nil {
		b.Fatal(err)
	}
	m, err := query.Open(out)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	return m
}

// benchmarkShape times queries of one shape and reports the median, the time that is
// predicted, and how often it goes into that.
func benchmarkShape(b *testing.B, m *query.Model, shape string, semantics model.Semantics, queries []shared.Query, constantsNow func() (*cost.Constants, error)) {
	q, err := lang.ShapeQuery(shape)
	if err != nil {
		b.Fatal(err)
	}
	p, err := compiler.Prepare(m, q, compiler.PrepareOptions{Semantics: new(semantics), Engine: compiler.EngineInterpreted})
	if err != nil {
		b.Fatal(err)
	}
	var constants []*cost.Constants
	measure := func() {
		c, err := constantsNow()
		if err != nil {
			b.Fatal(err)
		}
		constants = append(constants, c)
	}
	var seconds []float64
	measure()
	b.ResetTimer()
	for i := range b.N {
		var ids []int32
		for _, param := range p.Source.Params {
			ids = append(ids, queries[i%len(queries)].Slots[param.Name])
		}
		bindings, err := p.BindingsByID(ids)
		if err != nil {
			b.Fatal(err)
		}
		m.Rows().Forget()
		start := time.Now()
		err = p.Query.Scores(context.Background(), bindings, nil, func(query.Vector, []query.Vector) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	b.StopTimer()
	measure()
	slices.Sort(seconds)
	median, predicted := seconds[len(seconds)/2], cost.Predict(p.Compiled.Plan, cost.SizesOf(m), cost.Median(constants)).Seconds
	b.ReportMetric(1e3*median, "ms")
	b.ReportMetric(1e3*predicted, "predicted-ms")
	b.ReportMetric(median/predicted, "measured/predicted")
}
