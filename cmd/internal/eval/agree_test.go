package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestBatchRanks compares the ranks of hard answers in batches of 64, as eval asks, with those of
// single queries, on a table of codes beside rows: an answer moves past no entity but those whose
// scores differ from its own by less than the tolerance of the semantics.
func TestBatchRanks(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237")
	path := filepath.Join(t.TempDir(), "m.efoc")
	if _, err := importer.Import(context.Background(), importer.Options{
		Graph: dir, Checkpoints: []string{filepath.Join(dir, "complex256.pt")}, Output: path, Settings: model.DefaultSettings(), Table: table.Int8, SkipCheck: true,
	}); err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Open(path)
	require.NoError(t, err)
	defer m.Close()
	set, _, err := queryset.Open(context.Background(), filepath.Join(dir, "queries-dev.jsonl"), queryset.Options{Limit: 64, Shapes: long.Or([]string{"1p", "2p", "2i", "pin", "2u"}, []string{"2p"})})
	require.NoError(t, err)
	compareBatches(t, m, set)
}

// TestBatchRanksRandom is TestBatchRanks on a random model, for which any entity is an answer.
func TestBatchRanksRandom(t *testing.T) {
	const entities, relations, rank = 3000, 3, 16
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(rows int) []float32 {
		x := make([]float32, rows*2*rank)
		for i := range x {
			x[i] = float32(0.6 * rng.NormFloat64())
		}
		return x
	}
	var facts []graph.Triple
	for range 4 * entities {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.Int32N(entities)), Relation: rng.Int32N(relations), Tail: graph.EntityID(rng.Int32N(entities))})
	}
	relationRows := draw(2 * relations)
	m := runtime.NewModel(modeltest.New(t, modeltest.Spec{
		Entities: entities, Relations: relations, Facts: facts, Rank: rank, RelationRows: relationRows, Rows: draw(entities), Table: table.Int8, Exact: table.Float32,
	}))
	defer m.Close()
	set := &queryset.Set{}
	for _, shape := range []string{"1p", "2p", "2i"} {
		template, err := benchmark.Query(shape)
		require.NoError(t, err)
		g := &queryset.Group{Name: shape, Template: template}
		for range 64 {
			var q queryset.Case
			for _, param := range template.Params {
				if param.Kind == kind.Relation {
					q.Args = append(q.Args, rng.Int32N(2*relations))
				} else {
					q.Args = append(q.Args, rng.Int32N(entities))
				}
			}
			for range 20 {
				q.Hard = append(q.Hard, rng.Int32N(entities))
			}
			g.Queries = append(g.Queries, q)
		}
		set.Groups = append(set.Groups, g)
	}
	compareBatches(t, m, set)
}

// compareBatches asks a model all queries of each group together and one by one.
func compareBatches(t *testing.T, m *runtime.Model, set *queryset.Set) {
	t.Helper()
	for _, semantics := range []model.Semantics{model.NSMP, model.Mixed} {
		for _, g := range set.Groups {
			p, err := compiler.Prepare(m, g.Template, compiler.Options{Plans: shapes.Plans(), Semantics: &semantics})
			require.NoError(t, err)
			batch := argsOf(p, g.Queries)
			together := make([]plan.Vector, len(batch))
			require.NoError(t, p.Each(context.Background(), batch, nil, func(i int, r *runtime.Run) error {
				x := r.Scores()
				together[i] = slices.Clone(x)
				return nil
			}))
			moved, all := 0, 0
			for i, b := range batch {
				require.NoError(t, p.Each(context.Background(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
					x := r.Scores()
					m, n := compareRanks(t, x, together[i], g.Queries[i].Hard)
					moved, all = moved+m, all+n
					return nil
				}))
			}
			t.Logf("%s by %s: %d of %d answers moved", g.Name, semantics, moved, all)
			if moved > all/1000 {
				t.Errorf("%s by %s: %d of %d answers moved", g.Name, semantics, moved, all)
			}
		}
	}
}

// compareRanks counts the answers whose rank by x is not between those that y gives them with and
// without the entities that are as good as they are.
func compareRanks(t *testing.T, x, y plan.Vector, answers []int32) (moved, all int) {
	t.Helper()
	for _, a := range answers {
		greater, least, most := 0, 0, 0
		slack := 2e-4*float64(y[a]) + 2e-9
		for e, v := range y {
			if x[e] > x[a] {
				greater++
			}
			if d := float64(v) - float64(y[a]); d > slack {
				least++
				most++
			} else if math.Abs(d) <= slack {
				most++
			}
		}
		if greater < least || greater > most {
			moved++
		}
		all++
	}
	return moved, all
}
