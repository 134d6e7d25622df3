package runtime_test

import (
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// tails returns the tails of a relation in a graph.
func tails(t *testing.T, m *runtime.Model, relation string) func(graph.EntityID) []int32 {
	t.Helper()
	r, err := m.Relation(relation)
	require.NoError(t, err)
	return func(e graph.EntityID) []int32 { return m.Bundle().Graph.Tails(e, r.ID()) }
}

// TestUnequal asks queries with inequalities by all semantics, and compares which answers
// are known with loops over the graph. Entities that a constant excludes are no answers and
// have no probability; the others share all of it.
func TestUnequal(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	entity, err := m.Entity("France")
	require.NoError(t, err)
	france := entity.ID()
	borders, languages := tails(t, m, "borders"), tails(t, m, "official_language")
	inverse, err := m.Relation("official_language")
	require.NoError(t, err)
	speakers := func(l graph.EntityID) []int32 { return m.Bundle().Graph.Tails(l, inverse.ID().Inverse()) }
	beyond := func(use func(x, y int32)) {
		for _, x := range borders(france) {
			for _, y := range borders(graph.EntityID(x)) {
				use(x, y)
			}
		}
	}
	fellows := func(use func(x, y int32)) {
		for _, x := range borders(france) {
			for _, l := range languages(graph.EntityID(x)) {
				for _, y := range speakers(graph.EntityID(l)) {
					use(x, y)
				}
			}
		}
	}
	for _, c := range []struct {
		formula  string
		pairs    func(use func(x, y int32))
		holds    func(x, y int32) bool
		excluded bool
	}{
		{`exists x. borders("France", x) & borders(x, y) & y != "France"`, beyond, func(_, y int32) bool { return y != int32(france) }, true},
		{`(exists x. borders("France", x) & borders(x, y) & y != "France") | borders(y, "Guyana") & y != "France"`, func(use func(x, y int32)) {
			beyond(use)
			guyana, err := m.Entity("Guyana")
			require.NoError(t, err)
			for _, y := range borders(guyana.ID()) {
				if slices.Contains(borders(graph.EntityID(y)), int32(guyana.ID())) {
					use(-1, y)
				}
			}
		}, func(_, y int32) bool { return y != int32(france) }, true},
		{`exists x, l. borders("France", x) & official_language(x, l) & official_language(y, l) & x != y`, fellows,
			func(x, y int32) bool { return x != y }, false},
		{`exists x, l. borders("France", x) & official_language(x, l) & official_language(y, l) & x != y & "France" != y`, fellows,
			func(x, y int32) bool { return x != y && y != int32(france) }, true},
	} {
		want := map[graph.EntityID]bool{}
		c.pairs(func(x, y int32) {
			if c.holds(x, y) {
				want[graph.EntityID(y)] = true
			}
		})
		if len(want) < 5 {
			t.Fatalf("%s: %d answers only", c.formula, len(want))
		}
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, c.formula, compiler.Options{Semantics: new(semantics)})
			require.NoError(t, err)
			r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
			require.NoError(t, err)
			answers := m.NumEntities()
			if c.excluded {
				answers--
			}
			if len(r.Rows) != answers {
				t.Errorf("%s, %s: %d answers, want %d", c.formula, semantics, len(r.Rows), answers)
			}
			for _, a := range r.Rows {
				if known := a.Status == runtime.Known; known != want[a.Values[0].ID] || c.excluded && a.Values[0].ID == france {
					t.Errorf("%s, %s: %s is %s", c.formula, semantics, a.Values[0].Name, a.Status)
				}
			}
			b, err := p.Args(nil)
			require.NoError(t, err)
			err = p.Each(t.Context(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
				scores := r.Scores()
				sum := 0.0
				for _, s := range scores {
					sum += float64(s)
				}
				if c.excluded != (scores[france] == 0) && semantics != model.FIT || c.excluded && scores[france] != 0 {
					t.Errorf("%s, %s: France has %v", c.formula, semantics, scores[france])
				}
				if semantics == model.NSMP && math.Abs(sum-1) > 1e-4 {
					t.Errorf("%s, %s: scores sum to %v", c.formula, semantics, sum)
				}
				return nil
			})
			require.NoError(t, err)
			if semantics == model.NSMP {
				continue // compiled without what explains its answers
			}
			why, err := p.Why(t.Context(), b, runtime.Options{K: 20})
			require.NoError(t, err)
			for _, w := range why {
				if len(w.Values) == 2 && w.Values[0].ID == w.Answer.ID {
					t.Errorf("%s, %s: the witness of %s is itself", c.formula, semantics, w.Answer.Name)
				}
			}
		}
	}
}

// TestUnequalPages checks that pages hold every answer once where an excluded entity lies
// among those without a degree.
func TestUnequalPages(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	p, err := compiler.Prepare(m, `borders("France", y) & y != "Spain"`, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	all, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
	require.NoError(t, err)
	if len(all.Rows) != m.NumEntities()-1 {
		t.Errorf("%d answers of %d entities", len(all.Rows), m.NumEntities())
	}
	checkPages(t, p, nil, 50, all)
}

// checkPages checks that pages of k answers hold every answer once, and that a page with fewer has a next one only if
// answers are left.
func checkPages(t *testing.T, p *compiler.Prepared, args runtime.Args, k int, all *runtime.Reply) {
	t.Helper()
	left := map[graph.EntityID]bool{}
	for _, row := range all.Rows {
		left[row.Values[0].ID] = true
	}
	for o := (runtime.Options{K: k}); ; {
		page, err := p.Ask(t.Context(), args, o)
		require.NoError(t, err)
		for _, row := range page.Rows {
			e := row.Values[0].ID
			if !left[e] {
				t.Errorf("%d is no answer, or on two pages", e)
			}
			delete(left, e)
		}
		if len(page.Rows) < k && page.Next > 0 && len(left) == 0 {
			t.Errorf("from %d on, there are %d answers, and more from %d on", o.Offset, len(page.Rows), page.Next)
		}
		o.Offset = page.Next
		if page.Next == 0 {
			break
		}
	}
	if len(left) > 0 {
		t.Errorf("%d of %d answers are on no page", len(left), len(all.Rows))
	}
}
