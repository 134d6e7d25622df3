package shapes

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// The tolerance of the semantics: two float32 implementations agree within relative 1e-4 for every entity of
// probability at least 1e-8, within absolute 1e-9 below that.
func near(got, want float64) bool {
	if want >= 1e-8 {
		return math.Abs(got-want) <= 1e-4*want
	}
	return math.Abs(got-want) <= 1e-9
}

// goldenModel is a model with golden answers.
type goldenModel struct {
	name, checkpoint string
	lambda, alpha    float64
	table            table.Type
}

var graphs = []goldenModel{
	{"fb15k-237", "complex256.pt", 0.3, 100, table.Float32},
	{"nell995", "complex256.safetensors", 0.1, 1000, table.Float32},
}

// tested returns the graphs to test: only the smaller one by default.
func tested() []goldenModel { return long.Or(graphs, graphs[:1]) }

// bundles caches imported graphs, because importing takes longer than most tests.
var bundles struct {
	dir   string
	files map[goldenModel]string
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "shapes")
	if err != nil {
		panic(err)
	}
	bundles.dir, bundles.files = dir, map[goldenModel]string{}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// openShared opens the bundle of a graph with its checkpoint, importing it on first use.
func openShared(tb testing.TB, g goldenModel) *runtime.Model {
	tb.Helper()
	dir := shared.Dir(tb, "data", g.name)
	bundle, made := bundles.files[g]
	if !made {
		bundle = filepath.Join(bundles.dir, fmt.Sprint(len(bundles.files), ".efoc"))
		settings := model.DefaultSettings()
		settings.Lambda, settings.Alpha = g.lambda, g.alpha
		_, err := importer.Import(context.Background(), importer.Options{
			Graph: dir, Checkpoints: []string{filepath.Join(dir, g.checkpoint)}, Output: bundle, Settings: settings, Table: g.table,
		})
		require.NoError(tb, err)
		bundles.files[g] = bundle
	}
	m, err := runtime.Open(bundle)
	require.NoError(tb, err)
	tb.Cleanup(func() { m.Close() })
	return m
}

// TestGolden compares interpreter and generated plans with the answers of an independent implementation in
// another language, on every shape. The slow reference answers one golden query of three shapes, and in long
// tests of every shape on the smaller graph. The other engines answer every query in long tests, otherwise one
// of each shape.
func TestGolden(t *testing.T) {
	for _, g := range tested() {
		t.Run(g.name, func(t *testing.T) {
			golden := shared.Goldens(t, shared.Dir(t, "data", "golden", g.name+".json"))
			m := openShared(t, g)
			for _, engine := range []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterpreted, compiler.EngineLayers, compiler.EngineReference} {
				t.Run(string(engine), func(t *testing.T) {
					seen := map[string]bool{}
					for i, want := range golden {
						few := (g.name == "nell995" || !long.Tests()) && !slices.Contains([]string{"1p", "2in", "up"}, want.Type)
						if engine == compiler.EngineReference && (seen[want.Type] || few) {
							continue
						}
						if !long.Tests() && seen[want.Type] {
							continue
						}
						seen[want.Type] = true
						t.Run(fmt.Sprintf("%s-%d", want.Type, i), func(t *testing.T) {
							compare(t, m, engine, want)
						})
					}
				})
			}
		})
	}
}

// prepareShape prepares a benchmark shape.
func prepareShape(tb testing.TB, m *runtime.Model, engine compiler.Engine, shape string) *compiler.Prepared {
	tb.Helper()
	q, err := benchmark.Query(shape)
	require.NoError(tb, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Engine: engine, Plans: ShapesPlans, Semantics: new(model.NSMP)})
	require.NoError(tb, err)
	return p
}

// scoresOf returns the probability of every entity.
func scoresOf(tb testing.TB, p *compiler.Prepared, b runtime.Args) (scores []float32) {
	tb.Helper()
	err := p.Each(context.Background(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
		x := r.Scores()
		scores = slices.Clone(x)
		return nil
	})
	require.NoError(tb, err)
	return scores
}

// prepare prepares a golden query.
func prepare(tb testing.TB, m *runtime.Model, engine compiler.Engine, want shared.Golden) (*compiler.Prepared, runtime.Args) {
	tb.Helper()
	p := prepareShape(tb, m, engine, want.Type)
	return p, bind(p, want.Slots)
}

// bind returns the values of the parameters of a benchmark shape, by the names of its slots.
func bind(p *compiler.Prepared, slots map[string]int32) runtime.Args {
	var ids []int32
	for _, param := range p.Source.Params {
		ids = append(ids, slots[param.Name])
	}
	return p.Spec().Args(ids...)
}

// compare answers one golden query and checks the answer.
func compare(t *testing.T, m *runtime.Model, engine compiler.Engine, want shared.Golden) {
	t.Helper()
	p, b := prepare(t, m, engine, want)
	err := p.Each(context.Background(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
		x := r.Scores()
		check(t, x, want)
		return nil
	})
	require.NoError(t, err)
}

// TestGoldenBatch asks the golden queries of a shape together, so that sweeps of the table are matrix products.
// The probabilities of all entities are compared with those of single queries.
func TestGoldenBatch(t *testing.T) {
	for _, g := range tested() {
		t.Run(g.name, func(t *testing.T) {
			golden := map[string][]shared.Golden{}
			for _, want := range shared.Goldens(t, shared.Dir(t, "data", "golden", g.name+".json")) {
				golden[want.Type] = append(golden[want.Type], want)
			}
			m := openShared(t, g)
			for _, s := range benchmark.Shapes {
				want := golden[s.Name]
				if len(want) == 0 {
					continue
				}
				p := prepareShape(t, m, compiler.EngineCompiled, s.Name)
				batch := make([]runtime.Args, 16) // enough for matrix products
				for i := range batch {
					batch[i] = bind(p, want[i%len(want)].Slots)
				}
				t.Run(s.Name, func(t *testing.T) {
					err := p.Each(context.Background(), batch, nil, func(i int, r *runtime.Run) error {
						x := r.Scores()
						check(t, x, want[i%len(want)])
						if i >= len(want) {
							return nil
						}
						for e, alone := range scoresOf(t, p, batch[i]) {
							if !near(float64(x[e]), float64(alone)) {
								t.Errorf("query %d: entity %d has probability %g, alone %g", i, e, x[e], alone)
								break
							}
						}
						return nil
					})
					require.NoError(t, err)
				})
			}
		})
	}
}

// check compares probabilities, their sum and the order of the first ten with golden ones.
func check(t *testing.T, x plan.Vector, want shared.Golden) {
	t.Helper()
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	if !near(sum, want.Sum) {
		t.Errorf("sum is %g, want %g", sum, want.Sum)
	}
	for rank, top := range want.Top {
		if !near(float64(x[top.ID]), top.Prob) {
			t.Errorf("entity %d has probability %g, want %g", top.ID, x[top.ID], top.Prob)
		}
		if rank > 0 && rank < 10 && !near(want.Top[rank-1].Prob, top.Prob) && x[want.Top[rank-1].ID] <= x[top.ID] {
			t.Errorf("entity %d does not stand before %d", want.Top[rank-1].ID, top.ID)
		}
	}
	// No other entity may beat the last golden answer.
	least := want.Top[len(want.Top)-1].Prob
	listed := map[int32]bool{}
	for _, top := range want.Top {
		listed[top.ID] = true
	}
	for e, v := range x {
		if !listed[int32(e)] && float64(v) > least*(1+1e-4) {
			t.Errorf("entity %d has probability %g, more than the last of the golden answers, %g", e, v, least)
		}
	}
}

// byShape returns the first queries of each shape.
func byShape(all []shared.Query, limit int) map[string][]shared.Query {
	m := map[string][]shared.Query{}
	for _, q := range all {
		if len(m[q.Type]) < limit {
			m[q.Type] = append(m[q.Type], q)
		}
	}
	return m
}
