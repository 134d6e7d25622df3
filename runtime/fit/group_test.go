package fit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestGroup has questions of all semantics and several shapes come and go while facts change, under
// settings of their own: each has the answer that it has alone on the same facts. Those that are
// cancelled, or for which there is no memory, spoil no other.
func TestGroup(t *testing.T) {
	m := smallModel(t, 5)
	m.Use(plan.Access{Floats: true, Estimates: true}) // on a small table, questions run one by one by default
	n := m.NumEntities()
	var prepared []*compiler.Prepared
	for _, name := range []string{"1p", "2p", "2i", "3c", "2in"} {
		q, err := benchmark.Query(name)
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics {
			prepared = append(prepared, prepare(t, m, q, compiler.Options{Semantics: new(semantics)}))
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	g := m.NewGroup()
	var clients, changes sync.WaitGroup
	done := make(chan struct{})
	changes.Go(func() {
		rng := rand.New(rand.NewPCG(1, 1))
		for {
			select {
			case <-done:
				return
			default:
			}
			fact := graph.Triple{Head: graph.EntityID(rng.IntN(n)), Tail: graph.EntityID(rng.IntN(n))}
			if _, err := m.Change(model.Change{Add: []graph.Triple{fact}}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for client := range 12 {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(2, uint64(client)))
			for range 40 {
				p := prepared[rng.IntN(len(prepared))]
				b := randomArgs(t, rng, p)
				d := model.DefaultDegrees()
				d.Candidates, d.Temperature = 3, []float64{1, 2}[rng.IntN(2)]
				o := runtime.Options{K: n, NoStatus: true, Settings: settings(m, d)}
				q, err := m.Now().Bind(p.Spec())
				require.NoError(t, err)
				g.Enter(1)
				if rng.IntN(8) == 0 {
					if _, err := answerIn(cancelled, g, q, b, o); !errors.Is(err, context.Canceled) {
						t.Errorf("of a question that nobody waits for: %v", err)
					}
					continue
				}
				got, err := answerIn(t.Context(), g, q, b, o)
				if err != nil {
					t.Error(err)
					continue
				}
				want, err := q.Ask(t.Context(), b, o)
				if err != nil {
					t.Error(err)
					continue
				}
				compareAnswers(t, p, got, want)
			}
		})
	}
	clients.Wait()
	close(done)
	changes.Wait()
}

// answerIn answers a question that was announced, in a group.
func answerIn(ctx context.Context, g *runtime.Group, q *runtime.Question, b runtime.Args, o runtime.Options) (r *runtime.Reply, err error) {
	err = g.Do(ctx, func(ctx context.Context) (err error) {
		r, err = q.Ask(ctx, b, o)
		return err
	})
	return r, err
}

// compareAnswers compares the scores of entities.
func compareAnswers(t *testing.T, p *compiler.Prepared, got, want *runtime.Reply) {
	t.Helper()
	scores := map[graph.EntityID]float64{}
	for _, a := range got.Rows {
		scores[a.Values[0].ID] = float64(a.Score)
	}
	for _, a := range want.Rows {
		if g, w := scores[a.Values[0].ID], float64(a.Score); math.Abs(g-w) > 1e-4*max(w, 0.1) {
			t.Errorf("%s by %s: %s has %g in the group, %g alone", p.Source, p.Semantics, a.Values[0].Name, g, w)
			return
		}
	}
}

// TestGroupMemory has questions share a budget that is enough for each, but hardly for all: each is
// answered or refused for want of memory, and alone all are answered afterwards.
func TestGroupMemory(t *testing.T) {
	m := smallModel(t, 5)
	m.Use(plan.Access{Floats: true, Estimates: true}) // on a small table, questions run one by one by default
	q, err := benchmark.Query("3c")
	require.NoError(t, err)
	p := prepare(t, m, q, compiler.Options{Semantics: new(model.FIT)})
	const budget, questions = 19 << 17, 24
	m.DegreeCache().SetBudget(0)
	m.DegreeCache().SetRunBudget(budget)
	g := m.NewGroup()
	rng := rand.New(rand.NewPCG(4, 4))
	var list []runtime.Args
	for range questions {
		list = append(list, randomArgs(t, rng, p))
	}
	var errs [questions]error
	var wg sync.WaitGroup
	g.Enter(questions)
	for i, b := range list {
		wg.Go(func() { _, errs[i] = answerIn(t.Context(), g, p.Question, b, runtime.Options{}) })
	}
	wg.Wait()
	refused := 0
	for i, b := range list {
		var memory *fit.MemoryError
		switch {
		case errs[i] == nil:
		case errors.As(errs[i], &memory):
			refused++
		default:
			t.Errorf("question %d: %v", i, errs[i])
		}
		_, err := p.Ask(t.Context(), b, runtime.Options{})
		require.NoError(t, err)
	}
	if refused == 0 {
		t.Error("there was enough memory for all")
	}
	t.Logf("%d of %d are refused", refused, questions)
}
