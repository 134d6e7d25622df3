package runtime_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// rowAtom is an atom of a question for rows: a relation, perhaps behind !, and its ends, answer variables or constants.
type rowAtom [3]string

// TestRowConfidence asks for each atom of a row by itself. The confidence of a row is the product of those of its
// atoms: that of a row of one atom is the confidence of the link.
func TestRowConfidence(t *testing.T) {
	m := calibrated(t)
	questions := [][]rowAtom{
		{{"borders", "x", "y"}},
		{{"borders", "France", "x"}, {"official_language", "x", "y"}},
		{{"borders", "x", "y"}, {"in_continent", "x", "Europe"}, {"!official_language", "y", "German"}},
	}
	for _, atoms := range questions {
		var parts []string
		for _, a := range atoms {
			for i := range a {
				if i > 0 && len(a[i]) > 1 {
					a[i] = fmt.Sprintf("%q", a[i])
				}
			}
			parts = append(parts, fmt.Sprintf("%s(%s, %s)", a[0], a[1], a[2]))
		}
		formula := "x, y: " + strings.Join(parts, " & ")
		for _, s := range model.AllSemantics {
			for _, heldOut := range []float64{0, 0.1} {
				for _, statuses := range []runtime.Status{runtime.Predicted, runtime.Known} {
					o := runtime.Options{K: 20, HeldOut: heldOut, Filter: runtime.AnswerFilter{Statuses: statuses}}
					_, r := ask(t, m, formula, s, compiler.EngineInterpreted, o)
					if len(r.Rows) == 0 {
						t.Errorf("%s, %s: there are no rows", formula, s)
					}
					for _, row := range r.Rows {
						checkProduct(t, m, formula, atoms, &row, s, heldOut)
					}
				}
			}
		}
	}
}

// checkProduct compares the confidence of a row with the product of those of its atoms.
func checkProduct(t *testing.T, m *runtime.Model, formula string, atoms []rowAtom, row *runtime.Row, s model.Semantics, heldOut float64) {
	t.Helper()
	want := 1.0
	for _, a := range atoms {
		p := atomConfidence(t, m, a, row, s, heldOut)
		want *= p
		if row.Confidence > p+1e-6 {
			t.Errorf("%s, %s: %v has confidence %v, more than %v of its atom %v", formula, s, row.Values, row.Confidence, p, a)
		}
	}
	if want = max(1e-6, want); math.Abs(row.Confidence/want-1) > 1e-5 { // scores depend on what runs together
		t.Errorf("%s, %s: %v has confidence %v, want the product %v", formula, s, row.Values, row.Confidence, want)
	}
}

// atomConfidence returns the confidence of an atom at the values of a row.
func atomConfidence(t *testing.T, m *runtime.Model, a rowAtom, row *runtime.Row, s model.Semantics, heldOut float64) float64 {
	t.Helper()
	relation, negated := strings.CutPrefix(a[0], "!")
	r, err := m.Relation(relation)
	require.NoError(t, err)
	var ends [2]graph.EntityID
	for i, name := range a[1:] {
		if len(name) == 1 {
			ends[i] = row.Value(name).ID
			continue
		}
		e, err := m.Entity(name)
		require.NoError(t, err)
		ends[i] = e.ID()
	}
	if m.Bundle().Graph.Has(ends[0], r.ID(), ends[1]) {
		if negated {
			return 0
		}
		return 1
	}
	q := runtime.LinkQuestion{Head: ends[0], Relation: r.ID(), Tails: ends[1:]}
	replies, err := m.Links(t.Context(), []runtime.LinkQuestion{q}, runtime.LinkOptions{Options: runtime.Options{HeldOut: heldOut}, Semantics: &s})
	require.NoError(t, err)
	p := replies[0].Rows[0].Confidence
	if negated {
		return 1 - p
	}
	return p
}
