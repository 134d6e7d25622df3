package runtime_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestLimited compares the type that a formula has with the filter that says the same, under
// all semantics, alone, in a batch, and with a filter of its own.
func TestLimited(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	m.Bundle().Manifest.TypeRelation = "in_continent"
	europe, err := m.ParseType("Europe")
	require.NoError(t, err)
	spanish, err := m.ParseType("official_language=Spanish")
	require.NoError(t, err)
	const formula = `exists x. borders("Turkey", x) & borders(x, y)`
	for _, semantics := range model.AllSemantics {
		var cache stages.Cache
		o := compiler.Options{Semantics: new(semantics), Cache: &cache}
		prepare := func(text string) *compiler.Prepared {
			p, err := compiler.Prepare(m, text, o)
			require.NoError(t, err)
			return p
		}
		plain, typed, named := prepare(formula), prepare("y: Europe & "+formula), prepare(formula+` & y: in_continent("Europe")`)
		for _, filter := range []runtime.AnswerFilter{{}, {Statuses: runtime.Predicted}} {
			got, err := typed.Ask(t.Context(), nil, runtime.Options{K: 30, Filter: filter})
			require.NoError(t, err)
			filter.Type = europe
			want, err := plain.Ask(t.Context(), nil, runtime.Options{K: 30, Filter: filter})
			if err != nil || len(want.Rows) != 30 {
				t.Fatalf("%d answers, %v", len(want.Rows), err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the formula gives %+v, the filter %+v", semantics, got, want)
			}
		}
		batch := func(p *compiler.Prepared) []runtime.Row {
			replies, err := p.AskAll(t.Context(), []runtime.Args{nil, nil}, runtime.Options{K: 30})
			require.NoError(t, err)
			return replies[1].Rows
		}
		outside := 0
		for _, e := range entities(batch(plain)) {
			if !m.Bundle().Graph.Has(e, europe.Relation.ID(), europe.Entity.ID()) {
				outside++
			}
		}
		rows := batch(typed)
		if outside == 0 || !reflect.DeepEqual(entities(rows), entities(batch(named))) {
			t.Errorf("%s: in a batch %d answers lie outside of Europe, and %+v within", semantics, outside, rows)
		}
		for _, a := range rows {
			if !m.Bundle().Graph.Has(a.Values[0].ID, europe.Relation.ID(), europe.Entity.ID()) {
				t.Errorf("%s: %s does not lie in Europe", semantics, a.Values[0].Name)
			}
		}
		both, err := typed.Ask(t.Context(), nil, runtime.Options{K: 30, Filter: runtime.AnswerFilter{Type: spanish}})
		if err != nil || len(both.Rows) != 1 || both.Rows[0].Values[0].Name != "Spain" {
			t.Errorf("%s: both types have %+v, %v", semantics, both, err)
		}
	}
}

// TestLimitedErrors checks that types show at their places in the formula.
func TestLimitedErrors(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for formula, want := range map[string]string{
		`borders("France", y) & y: Europe`:                  `1:27: unknown type "Europe": the model names no relation of types`,
		`borders("France", y) & y: in_continent("Evrope")`:  `1:40: unknown entity "Evrope"`,
		`borders("France", y) & y: in_contnent("Europe")`:   `1:27: unknown relation "in_contnent"`,
		`borders("France", y) & y: in_continent("Europe"`:   `1:48: expected ")" after the type`,
		`borders("France", y) | y: in_continent("Europe")`:  "1:24: a type filter applies to the whole query",
		`exists x. borders(x, y) & x: in_continent("Asia")`: "1:27: only the answers, y, can be limited",
	} {
		_, err := compiler.Prepare(m, formula, compiler.Options{})
		var list interface{ Render() string }
		switch e := err.(type) {
		case stages.RefusedError:
			list = e
		case lang.ErrorList:
			list = e
		}
		if list == nil || !strings.Contains(list.Render(), want) || !strings.Contains(list.Render(), "hint:") || !strings.Contains(list.Render(), "^") {
			t.Errorf("%s: %v, want %s", formula, err, want)
		}
	}
}

// TestModelSemantics checks that a question is answered as the model has it by default.
func TestModelSemantics(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	m.Bundle().Manifest.Semantics = model.Mixed
	for _, c := range []struct {
		options compiler.Options
		want    model.Semantics
	}{
		{compiler.Options{}, model.Mixed},
		{compiler.Options{Semantics: new(model.NSMP)}, model.NSMP},
		{compiler.Options{Semantics: new(model.FIT)}, model.FIT},
	} {
		p, err := compiler.Prepare(m, `borders("France", y)`, c.options)
		if err != nil || p.Semantics != c.want || p.Spec().Parts[0].Plan.Semantics != c.want {
			t.Errorf("%+v gives %+v, %v, want %s", c.options, p, err, c.want)
		}
	}
}
