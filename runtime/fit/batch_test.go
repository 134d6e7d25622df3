package fit_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestBatch checks that queries of every shape get the same degrees together as alone, in more than
// one group, with any rows cached.
func TestBatch(t *testing.T) {
	m := smallModel(t, 3)
	m.Use(plan.Access{Floats: true, Estimates: true}) // on a small table, questions run one by one by default
	m.DegreeCache().SetBudget(5000)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range benchmark.Shapes {
		q, err := benchmark.Query(shape.Name)
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics[1:] {
			p := prepare(t, m, q, compiler.Options{Semantics: new(semantics)})
			var batch []runtime.Args
			for range 70 {
				batch = append(batch, randomArgs(t, rng, p))
			}
			d := model.DefaultDegrees()
			d.Candidates = 3
			compareBatch(t, shape.Name, p, batch, d)
		}
	}
}

// randomArgs draws the values of the parameters of a query.
func randomArgs(t testing.TB, rng *rand.Rand, p *compiler.Prepared) runtime.Args {
	t.Helper()
	m := p.Model()
	var args []int32
	for _, param := range p.Source.Params {
		limit := m.NumEntities()
		if param.Kind == kind.Relation {
			limit = m.NumRelations()
		}
		args = append(args, int32(rng.IntN(limit)))
	}
	return p.Spec().Args(args...)
}

func compareBatch(t *testing.T, shape string, p *compiler.Prepared, batch []runtime.Args, d model.Degrees) {
	t.Helper()
	var mu sync.Mutex
	together := map[int][]float32{}
	err := p.Each(context.Background(), batch, settings(p.Model(), d), func(i int, r *runtime.Run) error {
		answer := r.Scores()
		mu.Lock()
		defer mu.Unlock()
		together[i] = slices.Clone(answer)
		return nil
	})
	require.NoError(t, err)
	for i, b := range batch {
		for e, alone := range scores(t, p, b, d) {
			if got := together[i][e]; math.Abs(float64(got-alone)) > 1e-5 {
				t.Errorf("%s, %s: query %d: entity %d has degree %v in the batch, %v alone", shape, p.Semantics, i, e, got, alone)
				break
			}
		}
	}
}

// TestInterrupt checks that an end of the context ends the work, alone and in a batch.
func TestInterrupt(t *testing.T) {
	m := smallModel(t, 1)
	q, err := benchmark.Query("2p")
	require.NoError(t, err)
	p := prepare(t, m, q, compiler.Options{})
	b := p.Spec().Args(0, 0, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Ask(ctx, b, runtime.Options{}); err != context.Canceled {
		t.Errorf("alone: error is %v", err)
	}
	if _, err := p.AskAll(ctx, []runtime.Args{b, b, b}, runtime.Options{}); err == nil {
		t.Error("a batch went on")
	}
}
