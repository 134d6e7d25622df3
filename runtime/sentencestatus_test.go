package runtime_test

import (
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestSentenceStatus judges sentences as a whole by one graph, the observed one or the one with the
// facts held back, which may confirm one part and refute another.
func TestSentenceStatus(t *testing.T) {
	m := runtime.NewModel(modeltest.New(t, modeltest.Spec{
		EntityNames: []string{"a", "b", "c"}, RelationNames: []string{"r"},
		Facts:   []graph.Triple{{Head: 0, Tail: 1}, {Head: 1, Tail: 0}, {Head: 1, Tail: 2}},
		Heldout: []graph.Triple{{Head: 0, Tail: 2}, {Head: 2, Tail: 0}},
	}))
	defer m.Close()
	for formula, want := range map[string]runtime.Status{
		`r("a", "c")`:                                    runtime.Confirmed,
		`!r("c", "a") & r("a", "b")`:                     runtime.Known,
		`r("a", "c") & !r("c", "a")`:                     runtime.Predicted,
		`r("a", "c") & !r("c", "b")`:                     runtime.Confirmed,
		`r("a", "c") & !r("c", "a") | r("c", "b")`:       runtime.Predicted,
		`r("a", "c") & !r("c", "a") | r("c", "a")`:       runtime.Confirmed,
		`exists x. r("c", x) & !r("a", x) & r("a", "c")`: runtime.Confirmed,
		`exists x. r("c", x) & r("b", x) & !r("a", "c")`: runtime.Predicted,
	} {
		q, err := lang.ParseFormula(formula)
		require.NoError(t, err)
		for _, s := range model.AllSemantics {
			p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &s})
			require.NoError(t, err)
			r, err := p.Ask(t.Context(), nil, runtime.Options{})
			require.NoError(t, err)
			v := r.Verdict
			if v.Status != want {
				t.Errorf("%s by %s is %s, want %s", formula, s, v.Status, want)
			}
		}
	}
}
