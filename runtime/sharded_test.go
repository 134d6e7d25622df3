package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// splitSmall splits a small model into two shards, which have one plan: it scores nothing. before
// is called before a rank gets it.
func splitSmall(t *testing.T, before func()) (*Model, *Question) {
	t.Helper()
	p := (&faulty{}).plan(nil)
	p.Distributed = true
	p.Run = func(w *plan.Workspace) error {
		w.SetAnswer(0)
		return nil
	}
	m := randomModel(t, rand.New(rand.NewPCG(19, 3)), 10, 4, table.Float32)
	head, s, end, err := run.Here(m.bundle, 2, func([]scq.Disjunct, model.Semantics, int) (*plan.Plan, error) { before(); return p, nil }, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	split := At(head, s)
	q, err := split.Bind(byslot.Spec("", p, nil))
	require.NoError(t, err)
	return split, q
}

// patience is how long tests wait for an event: the machine may be slow and busy.
const patience = 5 * time.Minute

// within fails a test that waits for ever.
func within[T any](t *testing.T, what string, c <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-c:
	case <-time.After(patience):
		t.Fatalf("%s waits for ever", what)
	}
	return x
}

// TestShardsClose closes a split model between two groups of one batch, which nobody cancels: the
// batch ends with an error, as does a later question, and there may be a second Close.
func TestShardsClose(t *testing.T) {
	split, q := splitSmall(t, func() {})
	batch := slices.Repeat([]Args{argsOf(1)}, 64+1)
	ended := make(chan error)
	go func() {
		ended <- q.Each(context.Background(), batch, nil, func(i int, _ *Run) error {
			if i == 0 {
				return split.Close()
			}
			return nil
		})
	}()
	if err := within(t, "the batch", ended); !errors.Is(err, model.ErrClosed) {
		t.Errorf("error is %v, want model.ErrClosed", err)
	}
	go func() { ended <- split.shards.Close() }()
	if err := within(t, "the second Close", ended); err != nil {
		t.Error(err)
	}
	if _, err := split.shards.Runner(q.spec.Parts[0].Plan).Each(t.Context(), []scq.Bindings{q.PartBindings(0, argsOf(1))}, run.Want{}, nil); !errors.Is(err, model.ErrClosed) {
		t.Errorf("error of a later question is %v, want model.ErrClosed", err)
	}
}

// TestShardsPanic has the plan of a batch panic on all ranks when it is asked first: the batch has
// that error, and a later one is answered.
func TestShardsPanic(t *testing.T) {
	var calls atomic.Int64
	_, q := splitSmall(t, func() {
		if calls.Add(1) <= 2 {
			panic("boom")
		}
	})
	batch := slices.Repeat([]Args{argsOf(1)}, 3)
	if _, err := q.AskAll(context.Background(), batch, Options{}); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error is %v, want the panic", err)
	}
	if _, err := q.AskAll(context.Background(), batch, Options{}); err != nil {
		t.Errorf("a later batch: %v", err)
	}
}

// TestShardsAway cancels a question while a rank does not come to an exchange.
func TestShardsAway(t *testing.T) {
	came, back := make(chan struct{}, 2), make(chan struct{})
	_, q := splitSmall(t, func() { came <- struct{}{}; <-back })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := q.Ask(ctx, argsOf(1), Options{})
		ended <- err
	}()
	<-came
	cancel()
	err := within(t, "a question", ended)
	close(back)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

// TestShardsRefuse asks a split model what it does not answer.
func TestShardsRefuse(t *testing.T) {
	split, q := splitSmall(t, func() {})
	_, rows := split.Bind(&plan.Spec{Kind: plan.Rows, Variables: []string{"x", "y"}})
	_, assumed := split.Assume(func(now *model.Model) (*model.Model, error) { return now, nil })
	_, whyNot := q.WhyNot(t.Context(), argsOf(1), Options{}, 0)
	for what, err := range map[string]error{"rows": rows, "assumptions": assumed, "why not": whyNot} {
		if !errors.Is(err, ErrNeedsWhole) {
			t.Errorf("%s: error is %v, want ErrNeedsWhole", what, err)
		}
	}
}
