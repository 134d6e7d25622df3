package shapes

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// TestAskRunsOnce checks that a page of answers with confidence takes one run of the plan, and of the plan for truth
// degrees if that is another one.
func TestAskRunsOnce(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range Plans() {
		var runs, ofDegrees atomic.Int64
		p = counted(p, &runs)
		if p.Semantics == model.NSMP {
			p.Degrees = counted(p.Degrees, &ofDegrees)
		}
		q, err := m.Bind(byslot.Spec("", p, nil))
		require.NoError(t, err)
		for offset := range 4 {
			runs.Store(0)
			ofDegrees.Store(0)
			_, err := q.Ask(t.Context(), observedArgs(rng, m, p), runtime.Options{K: 10, Offset: 7 * offset})
			require.NoError(t, err)
			if runs.Load() != 1 || ofDegrees.Load() > 1 {
				t.Errorf("%s by %s from answer %d: %d runs and %d of truth degrees", p.Shape, p.Semantics, 7*offset, runs.Load(), ofDegrees.Load())
			}
		}
	}
}

// counted returns a copy of a plan that counts its runs.
func counted(p *plan.Plan, runs *atomic.Int64) *plan.Plan {
	c := *p
	count := func(run func(w *plan.Workspace) error) func(w *plan.Workspace) error {
		if run == nil {
			return nil
		}
		return func(w *plan.Workspace) error {
			runs.Add(1)
			return run(w)
		}
	}
	c.Run = count(p.Run)
	c.Small = count(p.Small)
	return &c
}
