package compiler_test

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"testing"
	"weak"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

func executorModel(t *testing.T) *runtime.Model {
	t.Helper()
	m, err := plantest.NewModel(4, 40, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// TestQuestionsShareWorkspaces prepares thousands of questions of one shape and asks each once: with every
// engine, they share one plan and its workspaces if there is a cache, and otherwise at least the workspaces.
func TestQuestionsShareWorkspaces(t *testing.T) {
	// A collection drops workspaces, so it is disabled unless this test uses up its memory, as under the race
	// detector, which makes the parser's pools drop objects.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30))
	m := executorModel(t)
	shared := &stages.Cache{}
	for _, c := range []struct {
		cache  *stages.Cache
		engine compiler.Engine
		asked  int
	}{
		{shared, compiler.EngineInterpreted, 2000}, {shared, compiler.EngineLayers, 300},
		{nil, compiler.EngineInterpreted, 300},
	} {
		t.Run(fmt.Sprint(c.engine, c.cache != nil), func(t *testing.T) {
			workspaces, plans := map[*float32]bool{}, map[*plan.Plan]bool{}
			for i := range c.asked {
				formula := fmt.Sprintf(`exists x%d. "0"("%d", x%d) & "1"(x%d, y)`, i, i%40, i, i)
				p, err := compiler.Prepare(m, formula, compiler.Options{Cache: c.cache, Engine: c.engine})
				require.NoError(t, err)
				b, err := p.Args(nil)
				require.NoError(t, err)
				plans[p.Spec().Parts[0].Plan] = true
				err = p.Each(t.Context(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
					workspaces[&r.Scores()[0]] = true
					return nil
				})
				require.NoError(t, err)
			}
			if c.cache != nil && c.engine == compiler.EngineInterpreted && len(plans) != 1 {
				t.Errorf("%d questions of one shape have %d plans", c.asked, len(plans))
			}
			// The race detector makes a sync.Pool drop every fourth object.
			if len(workspaces) > c.asked/2 {
				t.Errorf("%d questions of one shape were answered in %d workspaces", c.asked, len(workspaces))
			}
		})
	}
}

// TestEvictedPlan checks that a model keeps no reference to an answered plan: a plan evicted from a cache can
// be collected while the model is in use.
func TestEvictedPlan(t *testing.T) {
	m := executorModel(t)
	cache := &stages.Cache{Limit: 1}
	ask := func(formula string) weak.Pointer[plan.Plan] {
		p, err := compiler.Prepare(m, formula, compiler.Options{Cache: cache})
		require.NoError(t, err)
		if _, err := p.Ask(t.Context(), nil, runtime.Options{}); err != nil {
			t.Fatal(err)
		}
		return weak.Make(p.Spec().Parts[0].Plan)
	}
	kept := []weak.Pointer[plan.Plan]{
		ask(`"0"("1", y)`), ask(`exists x. "0"("1", x) & "1"(x, y)`), ask(`"0"("1", y) & "1"("2", y)`),
	}
	for i, want := range []bool{false, false, true} {
		for range 10 {
			if goruntime.GC(); (kept[i].Value() != nil) == want {
				break
			}
		}
		if got := kept[i].Value() != nil; got != want {
			t.Errorf("plan %d is there: %v, want %v", i, got, want)
		}
	}
	goruntime.KeepAlive(m)
	goruntime.KeepAlive(cache)
}
