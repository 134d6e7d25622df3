package runtime_test

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestSharedLabel asks about a group and a series of elements of the same label: the relations of a question choose
// between them, and the error lists the candidates where they do not.
func TestSharedLabel(t *testing.T) {
	spec := modeltest.Spec{
		EntityNames:   []string{"g17", "s4", "s5", "F", "Cl"},
		EntityLabels:  []string{"Halogens", "Halogens", "Halogens", "Fluorine", "Chlorine"},
		RelationNames: []string{"group", "series", "has"}, Rank: 2, Manifest: model.Manifest{Name: "elements"},
		Facts: []graph.Triple{{Head: 3, Relation: 0, Tail: 0}, {Head: 4, Relation: 0, Tail: 0}, {Head: 4, Relation: 1, Tail: 1}, {Head: 1, Relation: 2, Tail: 3}, {Head: 2, Relation: 2, Tail: 3}},
		Rows:  make([]float32, 5*4), RelationRows: make([]float32, 6*4),
	}
	m := runtime.NewModel(modeltest.New(t, spec))
	for formula, want := range map[string]string{
		`group(y, "Halogens")`:                          "Chlorine,Fluorine",
		`group^-1("Halogens", y)`:                       "Chlorine,Fluorine",
		`series(y, "Halogens")`:                         "Chlorine",
		`exists x. group(x, "Halogens") & series(x, y)`: "Halogens",
		`group(y, "Halogens") & !series(y, "s4")`:       "Fluorine",
		`series(y, "Halogens") & has("Halogens", y)`:    "",
		`group(y, "g17")`:                               "Chlorine,Fluorine",
		`has("Halogens", y)`:                            `1:5: entity label "Halogens" is ambiguous; use one of the names "s4" or "s5"`,
		`group("Halogens", y)`:                          `1:7: entity label "Halogens" is ambiguous; use one of the names "g17", "s4" or "s5"`,
		`group(y, "Halogens") & series(y, "Halogens")`:  `is ambiguous; use one of the names "g17", "s4" or "s5"`,
		`group("F", y) & y != "Halogens"`:               `is ambiguous; use one of the names "g17", "s4" or "s5"`,
	} {
		p, err := compiler.Prepare(m, formula, compiler.Options{})
		if strings.Contains(want, "ambiguous") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %s", formula, err, want)
			}
			continue
		}
		require.NoError(t, err)
		r, err := p.Ask(t.Context(), nil, runtime.Options{Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
		require.NoError(t, err)
		found := map[string]bool{}
		for _, row := range r.Rows {
			found[row.Values[0].Label] = true
		}
		for _, name := range strings.Split(want, ",") {
			if want != "" && !found[name] {
				t.Errorf("%s lacks %s: %v", formula, name, found)
			}
			delete(found, name)
		}
		if len(found) > 0 {
			t.Errorf("%s has %v as well, want %s", formula, found, want)
		}
	}
}
