package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// kindsOf returns questions of each kind about an entity.
func kindsOf(t *testing.T, country string) (list []*lang.Query) {
	for _, formula := range []string{
		`exists x. borders(%q, x) & official_language(x, y)`,
		`exists x. borders(%q, x) & borders(x, y)`,
		`x, y: borders(%q, x) & official_language(x, y)`,
		`exists x. borders(%q, x) & official_language(x, "Spanish")`,
	} {
		q, err := lang.ParseFormula(fmt.Sprintf(formula, country))
		require.NoError(t, err)
		list = append(list, q)
	}
	list[1].Wants = kind.Count
	return list
}

// TestGroupKinds has 32 questions of all kinds come at once: each is answered as it is alone, and they share
// sweeps. Loops over tiles of small tables are no sweeps, so both models are read as if they were large.
func TestGroupKinds(t *testing.T) {
	countries := []string{"France", "Brazil", "Kenya", "Chad", "Peru", "Germany", "China", "Turkey"}
	for _, semantics := range model.AllSemantics {
		prepare := func(m *runtime.Model) (list []*compiler.Prepared) {
			for _, country := range countries {
				for _, q := range kindsOf(t, country) {
					p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(semantics)})
					require.NoError(t, err)
					list = append(list, p)
				}
			}
			return list
		}
		ask := func(ctx context.Context, p *compiler.Prepared) *runtime.Reply {
			r, err := p.Ask(ctx, nil, runtime.Options{})
			require.NoError(t, err)
			return r
		}

		goroutines := goruntime.NumGoroutine()
		began := sweep.Made()
		first := calibrated(t)
		first.Use(plan.Access{})
		var alone []*runtime.Reply
		for _, p := range prepare(first) {
			alone = append(alone, ask(t.Context(), p))
		}
		apart := sweep.Made() - began

		m := calibrated(t) // another one, without cached rows
		m.Use(plan.Access{})
		prepared := prepare(m)
		began = sweep.Made()
		g := m.NewGroup()
		g.Enter(len(prepared))
		var wg sync.WaitGroup
		for i, p := range prepared {
			wg.Go(func() {
				g.Do(t.Context(), func(ctx context.Context) error {
					sameReply(t, p, ask(ctx, p), alone[i])
					return nil
				})
			})
		}
		wg.Wait()
		together := sweep.Made() - began
		t.Logf("%s: %d sweeps together, %d apart", semantics, together, apart)
		if 4*together > 3*apart {
			t.Errorf("%s: %d questions make %d sweeps together, %d apart", semantics, len(prepared), together, apart)
		}
		require.NoError(t, errors.Join(first.Close(), m.Close()))
		for end := time.Now().Add(5 * time.Minute); goruntime.NumGoroutine() > goroutines && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if n := goruntime.NumGoroutine(); n > goroutines {
			t.Errorf("%s: %d goroutines after the models were closed, %d before", semantics, n, goroutines)
		}
	}
}

// sameReply compares replies: numbers may differ as sums are taken in another order.
func sameReply(t *testing.T, p *compiler.Prepared, got, want *runtime.Reply) {
	t.Helper()
	same := func(what string, a, b float64) {
		if math.Abs(a-b) > 1e-3*max(math.Abs(b), 0.1) {
			t.Errorf("%s by %s: %s is %g in the group, %g alone", p.Source, p.Semantics, what, a, b)
		}
	}
	if got.Kind != want.Kind || len(got.Rows) != len(want.Rows) || got.Proved != want.Proved || got.Next != want.Next {
		t.Errorf("%s by %s is %s in the group, %s alone", p.Source, p.Semantics, text(t, got), text(t, want))
		return
	}
	for i, row := range want.Rows {
		same(fmt.Sprintf("the score of row %d", i), float64(got.Rows[i].Score), float64(row.Score))
		same(fmt.Sprintf("the confidence of row %d", i), got.Rows[i].Confidence, row.Confidence)
	}
	if v := want.Verdict; v != nil {
		if got.Verdict.Holds != v.Holds || got.Verdict.Status != v.Status || len(got.Verdict.Witnesses) != len(v.Witnesses) {
			t.Errorf("%s by %s: the verdict is %s in the group, %s alone", p.Source, p.Semantics, text(t, got), text(t, want))
		}
		same("the confidence", got.Verdict.Confidence, v.Confidence)
		same("the degree", got.Verdict.Degree, v.Degree)
	}
	if n := want.Count; n != nil {
		same("the number of known answers", float64(got.Count.Known), float64(n.Known))
		same("the number of missing answers", got.Count.Missing, n.Missing)
		same("the greatest number", got.Count.High, n.High)
	}
}

func text(t *testing.T, r *runtime.Reply) string {
	out, err := json.Marshal(r)
	require.NoError(t, err)
	return string(out)
}
