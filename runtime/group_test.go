package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// walk is a plan of some rounds. Each scores an embedding against all entities, and the
// softmax of that makes the next embedding; it begins with an entity's own row.
func walk(rounds int) *plan.Plan {
	return withPattern(plan.Plan{
		ABI: plan.ABI, Semantics: model.NSMP, Vectors: 1, Embeddings: 1,
		Run: func(w *plan.Workspace) error {
			copy(w.Embedding(0), w.Embedding(plan.EntityEmb(0)))
			for range rounds {
				s := w.Sweep()
				s.Score(0, 0)
				s.Run()
				w.Softmax(0, 0)
				s = w.Sweep()
				s.Embed(0, 0)
				s.Run()
			}
			w.SetAnswer(0)
			return w.Err()
		},
	}, scq.Atom{Head: scq.Const(0), Tail: scq.Var(0)})
}

// walked is what the plan computes, row by row in float64.
func walked(m *Model, e graph.EntityID, rounds int) []float64 {
	n := m.NumEntities()
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = m.bundle.Predictor.EntityTable.Row(graph.EntityID(i), nil)
	}
	x := make([]float64, len(rows[0]))
	for k, v := range rows[e] {
		x[k] = float64(v)
	}
	p := make([]float64, n)
	for range rounds {
		total := 0.0
		for i, row := range rows {
			dot := 0.0
			for k, v := range row {
				dot += x[k] * float64(v)
			}
			p[i] = math.Exp(dot)
			total += p[i]
		}
		clear(x)
		for i, row := range rows {
			p[i] /= total
			for k, v := range row {
				x[k] += p[i] * float64(v)
			}
		}
	}
	return p
}

// argsOf are the values of the parameters of a question of one entity and relation 0: see byslot.Spec.
func argsOf(e graph.EntityID) Args {
	return byslot.Args(scq.Bindings{Constants: []graph.EntityID{e}, Relations: []graph.RelationID{0}})
}

func newQuestion(t *testing.T, m *Model, p *plan.Plan, name string) *Question {
	t.Helper()
	q, err := m.Bind(byslot.Spec(name, p, nil))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// answerIn answers a question that was announced, in a group.
func (q *Question) answerIn(ctx context.Context, g *Group, b Args, o Options) (r *Reply, err error) {
	err = g.Do(ctx, func(ctx context.Context) (err error) {
		r, err = q.Ask(ctx, b, o)
		return err
	})
	return r, err
}

// TestGroup has questions of several plans come and go: each is answered as its plan says, with any
// others beside it, and questions that fail hold nobody up.
func TestGroup(t *testing.T) {
	const n = 300
	m := randomModel(t, rand.New(rand.NewPCG(5, 6)), n, 4, table.Float32)
	g := m.NewGroup()
	var queries []*Question
	for rounds := range 5 {
		queries = append(queries, newQuestion(t, m, walk(rounds+1), "walk"))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var wg sync.WaitGroup
	for client := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(client)))
			for range 40 {
				rounds, e := 1+rng.IntN(len(queries)), graph.EntityID(rng.IntN(n))
				q := queries[rounds-1]
				g.Enter(1)
				switch rng.IntN(8) {
				case 0:
					if _, err := q.answerIn(t.Context(), g, argsOf(-1), Options{}); err == nil || !strings.HasPrefix(err.Error(), "query walk: parameter s1: it is not set") {
						t.Errorf("of an entity that is not there: %v", err)
					}
					continue
				case 1:
					if _, err := q.answerIn(cancelled, g, argsOf(e), Options{}); !errors.Is(err, context.Canceled) {
						t.Errorf("of a question that nobody waits for: %v", err)
					}
					continue
				}
				got, err := q.answerIn(t.Context(), g, argsOf(e), Options{K: n})
				if err != nil || len(got.Rows) != n {
					t.Errorf("%d answers, error %v", len(got.Rows), err)
					continue
				}
				want := walked(m, e, rounds)
				for _, a := range got.Rows {
					if w := want[a.Values[0].ID]; math.Abs(float64(a.Score)-w) > 1e-4*w {
						t.Errorf("%d rounds from %d: %s has %g, want %g", rounds, e, a.Values[0].Name, a.Score, w)
						break
					}
				}
			}
		})
	}
	wg.Wait()
}

// meeting notes how many queries meet.
type meeting struct {
	sizes *[]int
	fault bool
}

func (m *meeting) Serve(all []drive.Request) {
	*m.sizes = append(*m.sizes, len(all))
	if m.fault {
		panic("boom")
	}
}

func (m *meeting) Like(drive.Request) bool { return true }

func (m *meeting) Kind() drive.Kind { return drive.Columns }

// TestGroupMeets checks that the questions that have entered meet as often as their plans go on, that
// a panic there is everybody's, and that the group goes on after it.
func TestGroupMeets(t *testing.T) {
	m := smallModel(t)
	g := m.NewGroup()
	var sizes []int
	fault := false
	var queries [4]*Question
	for i, times := range []int{3, 1, 5, 0} {
		queries[i] = newQuestion(t, m, planOf(func(w *plan.Workspace) {
			for range times {
				w.Ask(&meeting{&sizes, fault})
			}
		}), fmt.Sprint("q", i))
	}
	ask := func() (errs [4]error) {
		sizes = nil
		g.Enter(4)
		var wg sync.WaitGroup
		for i, q := range queries {
			wg.Go(func() { _, errs[i] = q.answerIn(t.Context(), g, argsOf(0), Options{}) })
		}
		wg.Wait()
		return errs
	}
	for _, fault = range []bool{false, true, false} {
		errs := ask()
		want := []int{3, 2, 2, 1, 1}
		if fault {
			want = []int{3}
		}
		if !slices.Equal(sizes, want) {
			t.Errorf("of 3 queries that meet others %v met, want %v", sizes, want)
		}
		for i, err := range errs {
			var panicked *PanicError
			if errors.As(err, &panicked) != (fault && i < 3) || err != nil && panicked == nil {
				t.Errorf("question %d with a fault %v: error %v", i, fault, err)
			}
		}
	}
	g.Enter(1)
	other := newQuestion(t, smallModel(t), planOf(func(w *plan.Workspace) {
		if w.Together() > 1 || w.Batched() {
			t.Error("a question of another model runs with those of the group")
		}
	}), "other")
	_, err := other.answerIn(t.Context(), g, argsOf(0), Options{})
	require.NoError(t, err)
	m.Close()
	errs := ask()
	if slices.ContainsFunc(errs[:], func(err error) bool { return !errors.Is(err, model.ErrClosed) }) {
		t.Errorf("after the model was closed: %v", errs)
	}
}

// TestGroupAnswerCancelled cancels a question that waits for another one, which was announced and
// does not come.
func TestGroupAnswerCancelled(t *testing.T) {
	m := smallModel(t)
	q, err := m.Bind(byslot.Spec("", (&faulty{broken: map[*plan.Workspace]bool{}}).plan(nil), nil))
	if err != nil {
		t.Fatal(err)
	}
	g := m.NewGroup()
	g.Enter(2)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		b := argsOf(1)
		_, err := q.answerIn(ctx, g, b, Options{})
		ended <- err
	}()
	time.AfterFunc(50*time.Millisecond, cancel) // once it waits
	if err := within(t, "a question that was cancelled", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}
