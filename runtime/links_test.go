package runtime_test

import (
	"math"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// tailsOf asks a prepared formula for all tails of a relation, and returns the rows by entity.
func tailsOf(t *testing.T, m *runtime.Model, h graph.EntityID, r graph.RelationID, o compiler.Options) (list []runtime.Row, of map[graph.EntityID]runtime.Row) {
	t.Helper()
	q, err := benchmark.Query("1p")
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, o)
	require.NoError(t, err)
	reply, err := p.Ask(t.Context(), p.Spec().Args(int32(h), int32(r)), runtime.Options{K: m.NumEntities()})
	require.NoError(t, err)
	of = map[graph.EntityID]runtime.Row{}
	for _, row := range reply.Rows {
		of[row.Values[0].ID] = row
	}
	return reply.Rows, of
}

// alikeRows reports whether two rows say the same but for rounding.
func alikeRows(a, b *runtime.Row) bool {
	return a.Values[0].ID == b.Values[0].ID && a.Values[0].Name == b.Values[0].Name && a.Status == b.Status &&
		math.Abs(float64(a.Score-b.Score)) <= 1e-6 && math.Abs(a.Confidence-b.Confidence) <= 1e-6
}

// TestLinks compares replies about single links with those to the formula r(h, y), compiled for any number of layers.
func TestLinks(t *testing.T) {
	m := calibrated(t)
	france, err := m.Entity("France")
	require.NoError(t, err)
	for _, relation := range []string{"borders", "official_language", "borders^-1"} {
		r, err := m.Relation(relation)
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics {
			for _, layers := range []int{0, 1, 3} {
				s := m.Settings()
				s.Layers = layers
				list, of := tailsOf(t, m, france.ID(), r.ID(), compiler.Options{Semantics: &semantics, Settings: &s})
				question := runtime.LinkQuestion{Head: france.ID(), Relation: r.ID()}
				o := runtime.LinkOptions{Options: runtime.Options{K: 12, Settings: &s}, Semantics: &semantics}
				best, err := m.Links(t.Context(), []runtime.LinkQuestion{question, question}, o)
				require.NoError(t, err)
				for i, row := range best[1].Rows {
					if len(best[1].Rows) != 12 || !alikeRows(&row, &list[i]) {
						t.Errorf("%s, %s, %d layers: row %d is %+v, want %+v", relation, semantics, layers, i, row, list[i])
					}
				}

				for _, row := range list[len(list)-8:] {
					question.Tails = append(question.Tails, row.Values[0].ID)
				}
				named, err := m.Links(t.Context(), []runtime.LinkQuestion{question}, o)
				require.NoError(t, err)
				for i, e := range question.Tails {
					want := of[e]
					if !alikeRows(&named[0].Rows[i], &want) {
						t.Errorf("%s, %s, %d layers: tail %d is %+v, want %+v", relation, semantics, layers, e, named[0].Rows[i], want)
					}
				}
			}
		}
	}
}

// believed compares the confidence of the links of witnesses with that of the answers to r(h, y). It returns how many
// predicted links there are.
func believed(t *testing.T, m *runtime.Model, what string, by model.Semantics, witnesses []runtime.Witness) (predicted int) {
	t.Helper()
	for _, w := range witnesses {
		for _, a := range w.Atoms {
			r, err := m.Relation(a.Relation)
			require.NoError(t, err)
			want := 0.0
			if !a.Observed {
				predicted++
				_, of := tailsOf(t, m, a.Head.ID, r.ID(), compiler.Options{Semantics: &by})
				want = of[a.Tail.ID].Confidence
				if a.Negated {
					want = 1 - want
				}
			}
			if math.Abs(a.Confidence-want) > 1e-6 {
				t.Errorf("%s, %s: link %+v has confidence %v, want %v", what, by, a, a.Confidence, want)
			}
		}
	}
	return predicted
}

// TestWhyConfidence checks that predicted links in witnesses have the confidence that they have as answers.
func TestWhyConfidence(t *testing.T) {
	m := calibrated(t)
	predicted := 0
	for _, formula := range formulas {
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &semantics})
			require.NoError(t, err)
			why, err := p.Why(t.Context(), nil, runtime.Options{K: 4, Filter: runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed}})
			require.NoError(t, err)
			predicted += believed(t, m, formula, semantics, why)
		}
	}
	if predicted < 30 {
		t.Errorf("only %d links were predicted", predicted)
	}
}

// TestBelieve checks the confidence of predicted links in rows and in the witnesses of a verdict; a model that is not
// calibrated gives none.
func TestBelieve(t *testing.T) {
	m := calibrated(t)
	predicted := 0
	for _, formula := range []string{
		`x, y: borders("France", x) & official_language(x, y) & !official_language("France", y)`,
		`exists x. borders("Peru", x) & official_language(x, "French") & !borders("France", x)`,
	} {
		p, err := compiler.Prepare(m, formula, compiler.Options{})
		require.NoError(t, err)
		r, err := p.Ask(t.Context(), nil, runtime.Options{K: 30})
		require.NoError(t, err)
		require.NoError(t, p.Believe(t.Context(), r))
		var witnesses []runtime.Witness
		if r.Verdict != nil {
			witnesses = r.Verdict.Witnesses
		}
		for _, row := range r.Rows {
			witnesses = append(witnesses, *row.Witness)
		}
		predicted += believed(t, m, formula, p.Semantics, witnesses)
	}
	if predicted < 5 {
		t.Errorf("only %d links were predicted", predicted)
	}

	m.Bundle().Manifest.Confidence = nil
	if m.Uncalibrated(nil) == "" {
		t.Error("a model without calibration has confidence")
	}
	p, err := compiler.Prepare(m, formulas[0], compiler.Options{})
	require.NoError(t, err)
	why, err := p.Why(t.Context(), nil, runtime.Options{K: 20})
	require.NoError(t, err)
	for _, w := range why {
		if w.Atoms[0].Confidence != 0 {
			t.Errorf("without calibration there is confidence %v", w.Atoms[0].Confidence)
		}
	}
}
