package compiler

import (
	"context"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// hoists are templates with names, and the number of sweeps per answer: for the whole plan, and with everything
// that depends only on names computed at binding.
var hoists = []struct {
	text         string
	semantics    model.Semantics
	whole, split int
}{
	{`query Q(r relation) y = exists x, z. borders("France", x) & borders(x, z) & $r(z, y)`, model.NSMP, 3, 1},
	{`query Q(r relation) y = exists x, z. borders("France", x) & borders(x, z) & $r(z, y)`, model.Mixed, 3, 3}, // the others only make rows
	{`query Q(c entity) y = borders($c, y) & in_continent(y, "Europe")`, model.NSMP, 1, 1},                      // both share a sweep
	{`query Q(c entity) y = borders("Brazil", y) & official_language(y, "Spanish") | borders($c, y)`, model.NSMP, 2, 2},
	{`query Q(c entity) y = exists x. borders($c, x) & official_language(x, y)`, model.NSMP, 2, 2}, // every sweep has a parameter
	{`query Q(c entity) y = exists x. borders("France", x) & official_language(x, y) | borders($c, y)`, model.NSMP, 3, 2},
	{`query Q(c entity) y = exists x. borders("France", x) & official_language(x, y) & official_language($c, y)`, model.FIT, 2, 2}, // no degrees are kept
}

// TestPrepareHoisted checks that prepared templates precompute everything that depends only on their names:
// with fewer sweeps per answer where the fused plans allow it, and the same answers as the layers engine, under
// several settings, after a change of facts, singly and in batches.
func TestPrepareHoisted(t *testing.T) {
	for _, c := range hoists {
		m, err := world.Open()
		require.NoError(t, err)
		t.Cleanup(func() { m.Close() })
		f, err := lang.ParseFile("q.efo", []byte("package q\n"+c.text+"\n"))
		require.NoError(t, err)
		q := f.Queries[0]
		prepare := func(e Engine) *Prepared {
			t.Helper()
			p, err := Prepare(m, q, Options{Engine: e, Semantics: &c.semantics})
			require.NoError(t, err)
			return p
		}
		hoisted, layers := prepare(EngineInterpreted), prepare(EngineLayers)
		if whole, split := layers.Compiled().Optimized.Sweeps(), hoisted.Compiled().Optimized.Sweeps(); whole != c.whole || split != c.split {
			t.Errorf("%s by %s: %d sweeps, and %d hoisted; want %d and %d", c.text, c.semantics, whole, split, c.whole, c.split)
		}
		if bound := hoisted.Compiled().Bind != nil; bound != (c.split < c.whole || c.semantics == model.Mixed) {
			t.Errorf("%s by %s: something is computed at binding: %v", c.text, c.semantics, bound)
		}
		values := []string{"Kenya", "Japan"}
		if q.Params[0].Kind == kind.Relation {
			values = []string{"official_language", "currency"}
		}
		for _, value := range values {
			args := map[string]string{q.Params[0].Name: value}
			for _, change := range []func(*model.Settings){
				func(*model.Settings) {},
				func(s *model.Settings) { s.Lambda = 1 },
				func(s *model.Settings) { s.Epsilon = 1e-3 },
			} {
				s := m.Settings()
				change(&s)
				same(t, c.text, hoisted, layers, args, s)
			}
		}
		addBorder(t, m)
		same(t, c.text, hoisted, layers, map[string]string{q.Params[0].Name: values[0]}, m.Settings())
	}
}

// addBorder adds the fact that France borders Kenya.
func addBorder(t *testing.T, m *runtime.Model) {
	t.Helper()
	france, err := m.Entity("France")
	require.NoError(t, err)
	kenya, err := m.Entity("Kenya")
	require.NoError(t, err)
	borders, err := m.Bundle().FindRelation("borders")
	require.NoError(t, err)
	done, err := m.Change(model.Change{Add: []graph.Triple{{Head: france.ID(), Relation: borders / 2, Tail: kenya.ID()}}})
	if err != nil || done.Added != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
}

// same compares all scores of a hoisted template, singly and in a batch of three, with those of the layers
// engine.
func same(t *testing.T, text string, hoisted, layers *Prepared, args map[string]string, s model.Settings) {
	t.Helper()
	scores := func(p *Prepared, n int) [][]float32 {
		b, err := p.Args(args)
		require.NoError(t, err)
		out := make([][]float32, n)
		err = p.Each(context.Background(), slices.Repeat([]runtime.Args{b}, n), &s, func(i int, r *runtime.Run) error {
			answer := r.Scores()
			out[i] = slices.Clone(answer)
			return nil
		})
		require.NoError(t, err)
		return out
	}
	want := scores(layers, 1)[0]
	for _, n := range []int{1, 3} {
		for _, got := range scores(hoisted, n) {
			for e := range want {
				if d := got[e] - want[e]; d > 1e-5 || d < -1e-5 {
					t.Errorf("%s, %v, batch of %d: entity %d has %g, want %g", text, args, n, e, got[e], want[e])
					return
				}
			}
		}
	}
}
