package cugen_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// compiledShape compiles a benchmark shape, by name or as a formula.
func compiledShape(t *testing.T, name string) *stages.Compiled {
	t.Helper()
	return compiledFor(t, name, model.NSMP)
}

func compiledFor(t *testing.T, name string, semantics model.Semantics) *stages.Compiled {
	t.Helper()
	parse := benchmark.Query
	if strings.Contains(name, "(") {
		parse = lang.ParseBenchmark
	}
	q, err := parse(name)
	require.NoError(t, err)
	a := stages.Analyze(q)
	c, err := a.Parts[0].Compile(stages.Options{Semantics: semantics})
	require.NoError(t, err)
	return c
}

// newModel returns a random model with three relations.
func newModel(t *testing.T, seed uint64, n, rank int, dtype table.Type, alpha float64) *runtime.Model {
	t.Helper()
	s := model.DefaultSettings()
	s.Alpha = alpha
	m, err := plantest.NewModel(seed, n, 3, rank, s)
	require.NoError(t, err)
	m.Bundle().Manifest.ScoreTerms = model.ScoreTerms{} // devices omit them
	p := m.Bundle().Predictor
	p.EntityNorms = nil
	p.EntityTable, err = table.Make(m.Bundle().Predictor.EntityTable.Float32s(), 2*rank, dtype, "")
	require.NoError(t, err)
	converted, err := model.New(m.Bundle().Manifest, m.Bundle().Graph, nil, p, m.Bundle().Entities, m.Bundle().Relations)
	require.NoError(t, err)
	converted, err = converted.WithValues(plantest.Values(seed, n))
	require.NoError(t, err)
	t.Cleanup(func() { converted.Close() })
	return runtime.NewModel(converted)
}

// compareShape compares random queries of a shape with the interpreter, one at a time and
// in a batch: probabilities, fuzzy sets and rankings.
func compareShape(t *testing.T, host *runtime.Model, q *device.Runner, c *stages.Compiled) {
	t.Helper()
	batch := drawBatch(host, c.Optimized, 3)
	compareParts(t, host, host.Settings(), q, c, batch[:1], batch[1:2], batch)
}

// compareParts compares queries that are answered together. The interpreter computes them on all cores, until one
// differs.
func compareParts(t *testing.T, host *runtime.Model, settings model.Settings, q *device.Runner, c *stages.Compiled, parts ...[]scq.Bindings) {
	t.Helper()
	for _, part := range parts {
		rankings, err := q.Top(context.Background(), part, settings, 5, 3)
		require.NoError(t, err)
		var wait sync.WaitGroup
		cores := make(chan struct{}, goruntime.GOMAXPROCS(0))
		err = q.Scores(context.Background(), part, settings, func(i int, answer plan.Vector, sets []plan.Vector) error {
			sameRanking(t, fmt.Sprint(rankings[i].Answer), answer, 5)
			for j, set := range sets {
				sameRanking(t, fmt.Sprint(rankings[i].Sets[j]), set, 3)
			}
			cores <- struct{}{}
			wait.Go(func() {
				defer func() { <-cores }()
				if !t.Failed() {
					compareRun(t, c.Lowered, host.Bundle(), settings, part[i], answer, sets)
				}
			})
			return nil
		})
		wait.Wait()
		require.NoError(t, err)
	}
}

// withFilters adds a filter to each query: of several values, and the same one for two of the queries.
func withFilters(t *testing.T, m *model.Model, batch []scq.Bindings) []scq.Bindings {
	t.Helper()
	batch = slices.Clone(batch)
	for i := range batch {
		f, err := m.Select(model.Condition{Attribute: plantest.Attribute, Comparisons: []model.Comparison{{Operator: "<=", Value: fmt.Sprint(i / 2)}}, Unknown: i%4 > 1})
		require.NoError(t, err)
		batch[i].Filters = []*model.Selection{f}
	}
	return batch
}

// drawBatch draws count queries.
func drawBatch(host *runtime.Model, p *ir.Plan, count int) (batch []scq.Bindings) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		var b scq.Bindings
		for range p.Constants {
			b.Constants = append(b.Constants, graph.EntityID(rng.IntN(host.NumEntities())))
		}
		for range p.Relations {
			b.Relations = append(b.Relations, graph.RelationID(rng.IntN(host.NumRelations())))
		}
		batch = append(batch, b)
	}
	return batch
}

// compareRun compares the results of a plan on a device with the interpreter's.
func compareRun(t *testing.T, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings, answer plan.Vector, sets []plan.Vector) {
	t.Helper()
	want, err := expected.Of(t.Context(), p, m, s, b, 1)
	what := ""
	if err == nil {
		what, err = want.Compare(t.Context(), m, append([][]float32{answer}, sets...))
	}
	if err != nil || what != "" {
		t.Errorf("%s%v\n%s", what, err, p)
	}
}

// sameRanking checks a printed ranking against its vector of scores.
func sameRanking(t *testing.T, got string, of []float32, k int) {
	t.Helper()
	type ranked struct {
		entity int
		score  float32
	}
	var want []ranked
	for e, score := range of {
		want = append(want, ranked{e, score})
	}
	slices.SortStableFunc(want, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	if text := fmt.Sprint(want[:min(k, len(want))]); got != text {
		t.Errorf("ranking is %s, want %s", got, text)
	}
}
