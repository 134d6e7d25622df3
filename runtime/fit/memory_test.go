package fit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// triangles is a question with cycles, whose cutset has generous lists: most of its
// atoms are negated.
const triangles = `exists a, b, c. borders("China", a) & borders(a, b) & borders(b, c) & borders(c, y) & ` +
	`!borders(a, c) & !borders(a, y) & !borders(b, y) & !in_continent(b, y)`

// TestRunBudget bounds the memory of runs: those that go over the bound fail, alone and
// in batches, leave nothing behind that would count against others, and change no
// answers of those that fit.
func TestRunBudget(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	q, err := compiler.Prepare(m, triangles, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	want, err := q.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	rows := m.DegreeCache()
	var taken []int64
	for range 3 {
		rows.SetRunBudget(100_000)
		_, err := q.Ask(t.Context(), nil, runtime.Options{})
		var memory *fit.MemoryError
		if !errors.As(err, &memory) || memory.Run <= memory.Budget || memory.All != memory.Run || memory.Budget != 100_000 {
			t.Fatalf("error is %v, want one about the memory of this run alone", err)
		}
		taken = append(taken, memory.Run)
		b, err := q.Args(nil)
		require.NoError(t, err)
		if _, err := q.AskAll(t.Context(), []runtime.Args{b, b, b}, runtime.Options{}); !errors.As(err, &memory) {
			t.Errorf("in a batch the error is %v", err)
		}
		rows.SetRunBudget(1 << 30)
		got, err := q.Ask(t.Context(), nil, runtime.Options{})
		require.NoError(t, err)
		if fmt.Sprint(got.Rows) != fmt.Sprint(want.Rows) {
			t.Errorf("with a bound the answers are\n%v\nwithout\n%v", got.Rows, want.Rows)
		}
	}
	if !strings.Contains((&fit.MemoryError{Run: 1, All: 2, Budget: 3}).Error(), "over the limit of 3") {
		t.Error("the error does not tell the limit")
	}
	t.Logf("runs were given up at %d bytes", taken)
}

// TestLeafBudget asks about a variable that no constant informs. The results for that are cached
// within the budget of rows, and dropped with them. While a query runs, its memory counts; afterwards
// only memory set aside counts, which makes way.
func TestLeafBudget(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	const formula = `exists x. in_continent(y, "Asia") & borders(x, y)`
	q, err := compiler.Prepare(m, formula, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	b, err := q.Args(nil)
	require.NoError(t, err)
	rows := m.DegreeCache()
	bordered := map[int32]bool{}
	borders, err := m.Bundle().FindRelation("borders")
	require.NoError(t, err)
	_, tails := m.Bundle().Graph.Edges(graph.RelationID(borders))
	for _, e := range tails {
		bordered[e] = true
	}
	ask := func() (running int64, answer string) {
		t.Helper()
		err := q.Each(t.Context(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
			x := r.Scores()
			running, answer = rows.Running(), fmt.Sprint(x)
			return nil
		})
		require.NoError(t, err)
		return running, answer
	}
	rows.SetBudget(fit.DefaultBudget)
	_, want := ask()
	kept := rows.Kept()
	if least := 8 * len(bordered); kept < least {
		t.Errorf("%d bytes of rows are kept, the leaf alone takes %d", kept, least)
	}
	if rows.Forget(); rows.Kept() != 0 {
		t.Errorf("%d bytes are kept of what was forgotten", rows.Kept())
	}
	keeping, _ := ask()
	rows.SetBudget(0)
	running, got := ask()
	if got != want {
		t.Error("without memory to keep rows the degrees differ")
	}
	if running < keeping+int64(8*len(bordered)) {
		t.Errorf("runs count %d bytes with rows that are kept, %d with rows that are not", keeping, running)
	}
	rows.SetRunBudget(1)
	if rows.Running() != 0 || rows.Kept() != 0 {
		t.Errorf("when nothing runs, %d bytes count for runs and %d for rows", rows.Running(), rows.Kept())
	}
}

// later is a context that is cancelled when it is asked for the n-th time, by whichever worker.
type later struct {
	context.Context
	left atomic.Int64
}

func (l *later) Err() error {
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels a run each time that it looks whether it is: wherever that is, it
// ends with the context's error and spoils no later run.
func TestCancel(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	q, err := compiler.Prepare(m, triangles, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	b, err := q.Args(nil)
	require.NoError(t, err)
	answers := func(n int64) (string, int64, error) {
		ctx := &later{Context: t.Context()}
		ctx.left.Store(n)
		text := ""
		err := q.Each(ctx, []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
			answer := r.Scores()
			text = fmt.Sprint(answer)
			return nil
		})
		return text, n - ctx.left.Load(), err
	}
	const never = 1 << 30
	want, looks, err := answers(never)
	require.NoError(t, err)
	if looks < 100 {
		t.Errorf("it looked %d times whether it was cancelled, want each branch to do so", looks)
	}
	for n := int64(0); n < looks; n += 1 + looks/6 {
		if _, _, err := answers(n); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at look %d of %d: error is %v", n, looks, err)
		}
		if got, _, err := answers(never); err != nil || got != want {
			t.Fatalf("after a run that was cancelled at look %d the degrees differ, error %v", n, err)
		}
	}
}
