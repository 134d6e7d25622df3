package connect

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// all enumerates the ways between two entities, by depth and without a bound on degrees.
func all(t *testing.T, m *runtime.Model, from, to graph.EntityID, steps int) (ways []Way) {
	t.Helper()
	p := &predictor{m: m}
	back, err := p.links(t.Context(), to)
	require.NoError(t, err)
	cache := map[graph.EntityID][]link{}
	s := &search{m: m}
	// links returns the links of an entity; those to the end are predicted from the end.
	links := func(e graph.EntityID) []link {
		if _, ok := cache[e]; !ok {
			found, err := p.links(t.Context(), e)
			require.NoError(t, err)
			found = slices.DeleteFunc(found, func(l link) bool { return l.to == to })
			for _, l := range back {
				if l.to == e {
					found = append(found, link{e, to, l.relation.Inverse(), false, l.degree})
				}
			}
			for r := range graph.RelationID(m.NumRelations()) {
				for _, x := range m.Bundle().Graph.Tails(e, r) {
					found = append(found, link{e, graph.EntityID(x), r, true, 1})
				}
			}
			cache[e] = found
		}
		return cache[e]
	}
	var extend func(p *partial)
	extend = func(p *partial) {
		if p.at == to {
			ways = append(ways, s.way(p))
			return
		}
		if p.steps == steps {
			return
		}
		for _, l := range links(p.at) {
			if p.steps == steps-1 && l.to != to {
				continue
			}
			met := false
			for q := p; q != nil; q = q.before {
				met = met || q.at == l.to
			}
			if !met {
				extend(&partial{at: l.to, last: l, before: p, steps: p.steps + 1, degree: p.degree * l.degree})
			}
		}
	}
	extend(&partial{at: from, degree: 1})
	slices.SortStableFunc(ways, func(a, b Way) int {
		return cmp.Or(cmp.Compare(b.Degree, a.Degree), cmp.Compare(len(a.Links), len(b.Links)))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(ways, func(w Way) bool {
		text := w.text()
		was := seen[text]
		seen[text] = true
		return was
	})
}

func open(t *testing.T) *runtime.Model {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func id(t *testing.T, m *runtime.Model, name string) graph.EntityID {
	e, err := m.Entity(name)
	require.NoError(t, err)
	return e.ID()
}

// TestFind compares the ways with all that there are.
func TestFind(t *testing.T) {
	m := open(t)
	cases := []struct {
		from, to string
		steps, k int
	}{{"Portugal", "Germany", 2, 500}, {"Kenya", "Swahili", 1, 10}, {"Monday", "Paris", 3, 150}}
	for _, c := range long.Or(cases, cases[:2]) {
		from, to := id(t, m, c.from), id(t, m, c.to)
		want := all(t, m, from, to, c.steps)
		for _, predicted := range []bool{false, true} {
			if predicted {
				want = slices.DeleteFunc(want, func(w Way) bool {
					return !slices.ContainsFunc(w.Links, func(l runtime.WitnessAtom) bool { return !l.Observed })
				})
			}
			r, err := Find(t.Context(), m, from, to, Options{Steps: c.steps, K: c.k, Predicted: predicted, Expansions: m.NumEntities()})
			require.NoError(t, err)
			if len(r.Ways) != min(c.k, len(want)) || r.Incomplete != "" || len(want) == 0 && c.steps > 1 {
				t.Errorf("%v: %d ways, want %d of %d; incomplete: %s", c, len(r.Ways), c.k, len(want), r.Incomplete)
				continue
			}
			for i, w := range r.Ways {
				if w.Degree != want[i].Degree || len(w.Links) != len(want[i].Links) {
					t.Errorf("%v: way %d has degree %v by %d links, want %v by %d", c, i+1, w.Degree, len(w.Links), want[i].Degree, len(want[i].Links))
				}
				at := from
				for _, l := range w.Links {
					relation, err := m.Relation(l.Relation)
					require.NoError(t, err)
					if l.Head.ID != at || l.Observed != m.Bundle().Graph.Has(l.Head.ID, relation.ID(), l.Tail.ID) || l.Observed && l.Degree != 1 {
						t.Errorf("%v: way %d has the link %+v", c, i+1, l)
					}
					at = l.Tail.ID
				}
				if at != to {
					t.Errorf("%v: way %d ends at %d", c, i+1, at)
				}
			}
		}
	}
}

// TestFindBothDirections finds a way by each of two facts that differ in direction alone.
func TestFindBothDirections(t *testing.T) {
	whole := modeltest.New(t, modeltest.Spec{
		EntityNames: []string{"a", "b", "c"}, RelationNames: []string{"r", "s"},
		Facts: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 0}, {Head: 1, Relation: 1, Tail: 2}},
	})
	m := runtime.NewModel(whole)
	defer m.Close()
	for _, c := range []struct {
		to   graph.EntityID
		want []string
	}{{1, []string{"r", "r^-1"}}, {2, []string{"r s", "r^-1 s"}}} {
		r, err := Find(t.Context(), m, 0, c.to, Options{K: 50})
		require.NoError(t, err)
		var got []string
		for _, w := range r.Ways {
			var relations []string
			for _, l := range w.Links {
				if l.Observed {
					relations = append(relations, l.Relation)
				}
			}
			if len(relations) == len(w.Links) {
				got = append(got, strings.Join(relations, " "))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("stored ways from 0 to %d: %q, want %q", c.to, got, c.want)
		}
	}
}

// TestFindMeanwhile adds entities, each like another one, while ways are searched: they are none of the ways.
func TestFindMeanwhile(t *testing.T) {
	m := open(t)
	from := id(t, m, "Portugal")
	to := id(t, m, "Germany")
	o := Options{K: 300, Predicted: true}
	want, err := Find(t.Context(), m, from, to, o)
	require.NoError(t, err)
	n := m.NumEntities()
	like := want.Ways[0].Links[0].Tail.ID
	row := m.Bundle().Predictor.EntityTable.Row(like, make([]float32, m.Bundle().Predictor.EntityTable.Width()))
	grow := func() {
		if m.NumEntities() == n+20 {
			return
		}
		require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) {
			next, err := now.Grown([]string{fmt.Sprint("new ", now.NumEntities())}, row)
			if err != nil {
				return nil, err
			}
			var c model.Change
			for r := graph.RelationID(0); int(r) < now.NumRelations(); r++ {
				for _, tail := range now.Graph.Tails(like, r) {
					c.Add = append(c.Add, graph.TripleOf(graph.EntityID(now.NumEntities()), r, graph.EntityID(tail)))
				}
			}
			next, _, err = next.With(c)
			return next, err
		}))
	}
	got, err := Find(pause.With(t.Context(), grow), m, from, to, o)
	require.NoError(t, err)
	if m.NumEntities() == n || !reflect.DeepEqual(got, want) {
		t.Errorf("%d entities later, there are %d ways, want the %d from before", m.NumEntities()-n, len(got.Ways), len(want.Ways))
	}
}

// TestFindBounds checks that a search says which bound it reached, and what it refuses.
func TestFindBounds(t *testing.T) {
	m := open(t)
	from, to := id(t, m, "Portugal"), id(t, m, "Germany")
	r, err := Find(t.Context(), m, from, to, Options{K: 500, Predicted: true, Expansions: 1})
	require.NoError(t, err)
	if r.Incomplete == "" || len(r.Ways) == 0 {
		t.Errorf("%d ways by one expansion, incomplete: %q", len(r.Ways), r.Incomplete)
	}
	for _, o := range []Options{{Steps: MaxSteps + 1}, {Steps: -1}, {K: -1}} {
		if _, err := Find(t.Context(), m, from, to, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := Find(t.Context(), m, from, from, Options{}); err == nil {
		t.Error("one entity at both ends is accepted")
	}
}
