package compiler_test

import (
	"math"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestEngines asks every kind of question with every engine that needs no generated code: all engines agree,
// including explanations.
func TestEngines(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, s := range model.AllSemantics {
		o := compiler.Options{Semantics: &s, Engine: compiler.EngineInterpreted, Cache: &stages.Cache{}}
		want := everyKind(t, m, o)
		for _, o.Engine = range []compiler.Engine{compiler.EngineLayers, compiler.EngineReference} {
			got := everyKind(t, m, o)
			if len(got) != len(want) {
				t.Fatalf("%s, engine %s: %d results, want %d", s, o.Engine, len(got), len(want))
			}
			for i, x := range got {
				y := want[i]
				near := math.Abs(x.score-y.score) <= 1e-6+1e-3*y.score && math.Abs(x.confidence-y.confidence) <= 1e-3
				if x.what != y.what || x.status != y.status || x.entity != y.entity || x.value != y.value || !near {
					t.Errorf("%s, engine %s: %+v, want %+v", s, o.Engine, x, y)
				}
			}
		}
	}
}

// resultOf is the part of an answer on which engines must agree.
type resultOf struct {
	what              string
	entity, value     string
	score, confidence float64
	status            runtime.Status
}

// everyKind asks questions of every kind.
func everyKind(t *testing.T, m *runtime.Model, o compiler.Options) (list []resultOf) {
	t.Helper()
	p, err := compiler.Prepare(m, `exists x. borders("France", x) & capital(x, y) & !in_continent(x, "Africa")`, o)
	require.NoError(t, err)
	b, err := p.Args(nil)
	require.NoError(t, err)
	for _, filter := range []runtime.AnswerFilter{
		{}, {Statuses: runtime.Predicted | runtime.Confirmed, MinConfidence: 1e-4},
	} {
		r, err := p.Ask(t.Context(), b, runtime.Options{K: 5, Show: []string{"x"}, Filter: filter})
		require.NoError(t, err)
		for _, a := range r.Rows {
			list = append(list, resultOf{"answers", a.Values[0].Name, a.Value("x").Name, float64(a.Score), a.Confidence, a.Status})
		}
	}
	why, err := p.Why(t.Context(), b, runtime.Options{K: 5})
	require.NoError(t, err)
	for _, w := range why {
		list = append(list, resultOf{what: "witnesses", entity: w.Answer.Name, value: w.Values[0].Name, score: float64(w.Degree)})
	}
	wanted := *p.Source
	wanted.Wants = kind.Count
	counting, err := compiler.Prepare(m, &wanted, o)
	require.NoError(t, err)
	counted, err := counting.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	list = append(list, resultOf{what: "count", score: counted.Count.Total(), value: counted.Count.Uncalibrated})

	rows, err := lang.ParseFormula(`x, y: borders("France", x) & capital(x, y)`)
	require.NoError(t, err)
	tuples, err := compiler.Prepare(m, rows, o)
	require.NoError(t, err)
	found, err := tuples.Ask(t.Context(), nil, runtime.Options{K: 5})
	require.NoError(t, err)
	for _, r := range found.Rows {
		list = append(list, resultOf{"rows", r.Values[0].Name, r.Values[1].Name, float64(r.Score), r.Confidence, r.Status})
	}

	for _, formula := range []string{
		`borders("France", "Spain")`, `borders("France", "Denmark")`, `exists x. borders(x, "Spain") & !borders(x, "France")`,
		`borders("France", "Kenya") & capital("France", "Paris") | exists x. borders("Kenya", x)`,
	} {
		q, err := lang.ParseFormula(formula)
		require.NoError(t, err)
		s, err := compiler.Prepare(m, q, o)
		require.NoError(t, err)
		r, err := s.Ask(t.Context(), nil, runtime.Options{})
		require.NoError(t, err)
		v := r.Verdict
		list = append(list, resultOf{formula, v.Witnesses[0].Answer.Name, v.Uncalibrated, v.Degree, v.Confidence, v.Status})
	}
	return list
}
