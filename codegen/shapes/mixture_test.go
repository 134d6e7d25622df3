package shapes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// mixtureQuery is a shape prepared for every semantics.
type mixtureQuery struct {
	*compiler.Prepared
	parts [2]*compiler.Prepared // by message passing and by truth degrees
}

func prepareMixture(t *testing.T, m *runtime.Model, e compiler.Engine, shape string) mixtureQuery {
	t.Helper()
	q, err := benchmark.Query(shape)
	require.NoError(t, err)
	var list []*compiler.Prepared
	for _, s := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
		p, err := compiler.Prepare(m, q, compiler.Options{Engine: e, Plans: Plans(), Semantics: new(s)})
		require.NoError(t, err)
		list = append(list, p)
	}
	return mixtureQuery{list[2], [2]*compiler.Prepared{list[0], list[1]}}
}

// scores computes the mixture's scores of all entities from the scores of the parts; it also returns the truth degrees.
func (q *mixtureQuery) scores(t *testing.T, b runtime.Args, s *model.Settings) (all, degrees []float32) {
	t.Helper()
	var parts [2][]float32
	for i, p := range q.parts {
		err := p.Each(t.Context(), []runtime.Args{b}, s, func(_ int, r *runtime.Run) error {
			x := r.Scores()
			parts[i] = append(parts[i], x...)
			return nil
		})
		require.NoError(t, err)
	}
	g := s.Degrees.OrDefault().Mixture
	f := func(p, d float64) float64 { return math.Pow(p+1e-12, 1-g) * math.Pow(d+1e-6, g) }
	all = make([]float32, len(parts[0]))
	for e, p := range parts[0] {
		all[e] = float32((f(float64(p), float64(parts[1][e])) - f(0, 0)) / (f(1, 1) - f(0, 0)))
	}
	return all, parts[1]
}

// check compares the best answers of a query, single and in batches, with the scores of all entities, and
// likewise for truth degrees only.
func (q *mixtureQuery) check(t *testing.T, what string, batch []runtime.Args, o runtime.Options) {
	t.Helper()
	results, err := q.AskAll(t.Context(), batch, o)
	require.NoError(t, err)
	for i, b := range batch {
		all, degrees := q.scores(t, b, o.Settings)
		got, err := q.Ask(t.Context(), b, o)
		require.NoError(t, err)
		compareBest(t, what, got.Rows, all, o.K)
		compareBest(t, what+" in a batch", results[i].Rows, all, o.K)
		got, err = q.parts[1].Ask(t.Context(), b, o)
		require.NoError(t, err)
		compareBest(t, what+" by truth degrees", got.Rows, degrees, o.K)
	}
}

// TestMixture compares the best answers of the mixture, which read few rows of truth degrees and of the table,
// with the scores of all entities, computed from the two mixed semantics: on random models and questions, with
// many settings.
func TestMixture(t *testing.T) {
	decided, passed := int64(0), int64(0)
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m, err := plantest.NewModel(seed, 40+rng.IntN(250), 3, 2+rng.IntN(12), model.DefaultSettings())
		require.NoError(t, err)
		m.Use(plan.Access{Estimates: true, Bounds: seed < 4})
		engine := []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterpreted}[seed%3/2]
		for _, shape := range benchmark.Shapes {
			q := prepareMixture(t, m, engine, shape.Name)
			for range 2 {
				var batch []runtime.Args
				for range 2 {
					var b scq.Bindings
					for range q.Shape().Constants {
						b.Constants = append(b.Constants, graph.EntityID(rng.IntN(m.NumEntities())))
					}
					for range q.Shape().Relations {
						b.Relations = append(b.Relations, graph.RelationID(rng.IntN(m.NumRelations())))
					}
					batch = append(batch, byslot.Args(b))
				}
				s := m.Settings()
				s.Lambda = []float64{0, 0.1, 0.3, 0.9, 1}[rng.IntN(5)]
				s.Degrees = model.DefaultDegrees()
				s.Degrees.Mixture = []float64{0, 0.2, 0.5, 0.8, 0.99, 1}[rng.IntN(6)]
				s.Degrees.Candidates, s.Degrees.Negation = 1+rng.IntN(20), 1+2*float64(rng.IntN(2))
				q.check(t, shape.Name, batch, runtime.Options{K: 1 + rng.IntN(12), Settings: &s, NoStatus: true})
			}
		}
		yes, no := m.Readouts().Counts()
		decided, passed = decided+yes, passed+no
		require.NoError(t, m.Close())
	}
	t.Logf("%d mixtures were decided by bounds, %d by a sweep", decided, passed)
	if decided < 100 || passed < 100 {
		t.Errorf("bounds decided %d mixtures and not %d, want many of both", decided, passed)
	}
}

// TestMixtureReal is TestMixture for real queries of every shape. It must compute fewer rows of truth degrees
// than a full ranking.
func TestMixtureReal(t *testing.T) {
	g := graphs[0]
	queries := byShape(shared.Queries(t, shared.Dir(t, "data", g.name, "queries-dev.jsonl")), long.Or(3, 1))
	m := openShared(t, g)
	m.Use(plan.Access{Estimates: true, Bounds: true})
	fewer := 0
	for _, shape := range benchmark.Shapes {
		q := prepareMixture(t, m, compiler.EngineCompiled, shape.Name)
		var batch []runtime.Args
		for _, x := range queries[shape.Name] {
			batch = append(batch, bind(q.Prepared, x.Slots))
		}
		s := q.Settings
		q.check(t, shape.Name, batch, runtime.Options{K: runtime.DefaultK, Settings: &s, NoStatus: true})
		for _, b := range batch {
			m.DegreeCache().Forget()
			_, err := q.Ask(t.Context(), b, runtime.Options{NoStatus: true})
			require.NoError(t, err)
			made := m.DegreeCache().Kept()
			m.DegreeCache().Forget()
			scoresOf(t, q.Prepared, b)
			if made < m.DegreeCache().Kept() {
				fewer++
			}
		}
	}
	decided, passed := m.Readouts().Counts()
	t.Logf("bounds decided %d mixtures, %d took a sweep; %d made fewer rows", decided, passed, fewer)
	if least := long.Or(10, 3); decided < passed || fewer < least {
		t.Errorf("bounds decided %d of %d mixtures, and %d made fewer rows, want most and %d", decided, decided+passed, fewer, least)
	}
}
