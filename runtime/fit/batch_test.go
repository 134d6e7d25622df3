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
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestBatch checks that queries of every shape get the same degrees together as alone, in more than
// one group, with any rows cached.
func TestBatch(t *testing.T) {
	m := smallModel(t, 3)
	m.DegreeCache().SetBudget(5000)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range benchmark.Shapes {
		q, err := benchmark.Query(shape.Name)
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics[1:] {
			p := prepare(t, m, q, compiler.Options{Semantics: new(semantics)})
			var batch []scq.Bindings
			for range 70 {
				batch = append(batch, randomBindings(t, rng, p))
			}
			d := model.DefaultDegrees()
			d.Candidates = 3
			compareBatch(t, shape.Name, p, batch, d)
		}
	}
}

// randomBindings fills the slots of a query at random.
func randomBindings(t testing.TB, rng *rand.Rand, p *compiler.Prepared) scq.Bindings {
	t.Helper()
	m := p.Query.Model()
	var args []int32
	for _, param := range p.Source.Params {
		limit := m.NumEntities()
		if param.Kind == kind.Relation {
			limit = m.NumRelations()
		}
		args = append(args, int32(rng.IntN(limit)))
	}
	b, err := p.BindingsByID(args)
	require.NoError(t, err)
	return b
}

func compareBatch(t *testing.T, shape string, p *compiler.Prepared, batch []scq.Bindings, d model.Degrees) {
	t.Helper()
	var mu sync.Mutex
	together := map[int][]float32{}
	err := p.Query.Each(context.Background(), batch, settings(p.Query.Model(), d), func(i int, r *runtime.Run) error {
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
	b, err := p.BindingsByID([]int32{0, 0, 1})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Query.Answer(ctx, b, runtime.Options{}); err != context.Canceled {
		t.Errorf("alone: error is %v", err)
	}
	if _, err := p.Query.AnswerBatch(ctx, []scq.Bindings{b, b, b}, runtime.Options{}); err == nil {
		t.Error("a batch went on")
	}
}
