package runtime_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestShow checks the values beside answers that follow from the graph: the facts that make
// them answers are there, for all semantics, alone, in batches and in groups.
func TestShow(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	is := func(head runtime.Value, relation string, tail graph.EntityID) bool {
		r, err := m.Relation(relation)
		require.NoError(t, err)
		return m.Bundle().Graph.Has(head.ID, r.ID(), tail)
	}
	france, err := m.Entity("France")
	require.NoError(t, err)
	here := runtime.Value{ID: france.ID()}
	for _, c := range []struct {
		formula string
		show    []string
		holds   func(answer graph.EntityID, values map[string]runtime.Value) bool
	}{
		{`exists x. borders("France", x) & official_language(x, y)`, []string{"x"}, func(y graph.EntityID, v map[string]runtime.Value) bool {
			return is(here, "borders", v["x"].ID) && is(v["x"], "official_language", y)
		}},
		{`exists x, z. borders("France", x) & borders(x, z) & official_language(z, y)`, []string{"z", "x"}, func(y graph.EntityID, v map[string]runtime.Value) bool {
			return is(here, "borders", v["x"].ID) && is(v["x"], "borders", v["z"].ID) && is(v["z"], "official_language", y)
		}},
		{`official_language("France", y) | exists x. borders("France", x) & official_language(x, y)`, []string{"x"}, func(y graph.EntityID, v map[string]runtime.Value) bool {
			x, ok := v["x"]
			return ok && is(here, "borders", x.ID) && is(x, "official_language", y) || !ok && is(here, "official_language", y)
		}},
	} {
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, c.formula, compiler.Options{Semantics: new(semantics)})
			require.NoError(t, err)
			o := runtime.Options{K: 4, Filter: runtime.AnswerFilter{Statuses: runtime.Known}, Show: c.show}
			r, err := p.Ask(t.Context(), nil, o)
			if err != nil || len(r.Rows) != 4 {
				t.Fatalf("%s, %s: %+v, error %v", c.formula, semantics, r, err)
			}
			for _, a := range r.Rows {
				values := map[string]runtime.Value{}
				for i, v := range a.Shown {
					if values[v.Variable] = v; len(a.Shown) == len(c.show) && v.Variable != c.show[i] {
						t.Errorf("%s: the values of %s are %+v, want the order %v", c.formula, a.Values[0].Name, a.Shown, c.show)
					}
					if got := a.Value(v.Variable); !reflect.DeepEqual(got, v) {
						t.Errorf("the value of %s is %+v, want %+v", v.Variable, got, v)
					}
				}
				if !c.holds(a.Values[0].ID, values) {
					t.Errorf("%s, %s: beside %s there is %+v", c.formula, semantics, a.Values[0].Name, a.Shown)
				}
			}
			b, err := p.Args(nil)
			require.NoError(t, err)
			batch, err := p.AskAll(t.Context(), []runtime.Args{b, b}, o)
			require.NoError(t, err)
			for i, a := range batch[1].Rows {
				if !reflect.DeepEqual(a.Shown, r.Rows[i].Shown) {
					t.Errorf("%s, %s: in a batch %+v, alone %+v", c.formula, semantics, a, r.Rows[i])
				}
			}
		}
	}
}

// TestShowErrors names variables that there are not, before anything is answered.
func TestShowErrors(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, c := range []struct {
		formula string
		show    []string
		want    string
	}{
		{`exists x. borders("France", x) & official_language(x, y)`, []string{"z"}, `variable "z" cannot be shown: the query has x under exists`},
		{`exists x. borders("France", x) & official_language(x, y)`, []string{"y"}, "the answer itself"},
		{`exists x. borders("France", x) & official_language(x, y)`, []string{"x", "x"}, "twice"},
		{`borders("France", y)`, []string{"x"}, "no variable under exists"},
	} {
		p, err := compiler.Prepare(m, c.formula, compiler.Options{})
		require.NoError(t, err)
		if _, err := p.Ask(t.Context(), nil, runtime.Options{Show: c.show}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.formula, err, c.want)
		}
		if _, err := p.Ask(t.Context(), nil, runtime.Options{Show: c.show}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.formula, err, c.want)
		}
	}
}
