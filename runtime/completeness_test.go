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

// nothing is the confidence of what cannot be true.
const nothing = 1e-6

// know sets the share of missing facts of relations.
func know(m *runtime.Model, share float64, relations ...string) {
	m.Bundle().Manifest.Missing.Relations = map[string]float64{}
	for _, r := range relations {
		m.Bundle().Manifest.Missing.Relations[r] = share
	}
}

// allRelations returns the names of all relations.
func allRelations(m *runtime.Model) (names []string) {
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		names = append(names, m.RelationName(r))
	}
	return names
}

// TestShareOfRelations checks that a share of each relation does what the same share of all facts does, and that the
// share of one relation changes only the confidence of its links: by the odds of the share, and without facts of the
// question as much as the chance that it applies.
func TestShareOfRelations(t *testing.T) {
	m := calibrated(t)
	odds := func(p float64) float64 { return p / (1 - p) }
	const share = 0.02
	usual := m.Bundle().Manifest.Missing.Assumed
	for _, formula := range slices.Concat(formulas, []string{`x, y: official_language(x, y) & borders(x, "France")`, `borders("Iceland", y)`}) {
		know(m, 0)
		_, before := ask(t, m, formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 40})
		know(m, share, "borders")
		_, one := ask(t, m, formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 40})
		know(m, share, allRelations(m)...)
		_, each := ask(t, m, formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 40})
		know(m, 0)
		m.Bundle().Manifest.Missing.Assumed = share
		_, whole := ask(t, m, formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 40})
		m.Bundle().Manifest.Missing.Assumed = usual
		for i, a := range before.Rows {
			if a.Status == runtime.Known || one.Rows[i].Confidence < 1e-5 || max(a.Confidence, one.Rows[i].Confidence) > 0.97 { // bounds
				continue
			}
			if each.Rows[i].Confidence != whole.Rows[i].Confidence {
				t.Errorf("%s: %s has confidence %v by the share of each relation, %v by that of all", formula, a.Values[0].Name, each.Rows[i].Confidence, whole.Rows[i].Confidence)
			}
			got := one.Rows[i].Confidence / one.Rows[i].Basis.Applies / (a.Confidence / a.Basis.Applies)
			want := 1.0
			switch of := a.Basis.Relation; {
			case of == "" || leadsNowhere(t, m, of, &a): // TestShare looks at such tails
				continue
			case (of == "borders" || of == "borders^-1") && a.Basis.Applies == 1:
				want = odds(share) / odds(usual)
			}
			if math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%s: the chance of %s changes by %v, want %v", formula, a.Values[0].Name, got, want)
			}
		}
	}
}

// leadsNowhere reports whether the graph has no fact of a relation that leads to some value of a row.
func leadsNowhere(t *testing.T, m *runtime.Model, relation string, row *runtime.Row) bool {
	r, err := m.Relation(relation)
	require.NoError(t, err)
	return slices.ContainsFunc(row.Values, func(v runtime.Value) bool { return len(m.Bundle().Graph.Tails(v.ID, r.ID().Inverse())) == 0 })
}

// TestComplete checks that nothing that needs a predicted link of a complete relation is likely, by the witnesses,
// and that nothing else changes.
func TestComplete(t *testing.T) {
	m := calibrated(t)
	for _, formula := range slices.Concat(formulas, []string{`x, y: official_language(x, y) & borders(x, "France")`}) {
		for _, s := range model.AllSemantics {
			o := runtime.Options{K: 80}
			know(m, 0)
			_, before := ask(t, m, formula, s, compiler.EngineInterpreted, o)
			know(m, 0, "borders")
			p, after := ask(t, m, formula, s, compiler.EngineInterpreted, o)
			var why []runtime.Witness
			if len(after.Variables) < 2 {
				b, err := p.Args(nil)
				require.NoError(t, err)
				why, err = p.Why(t.Context(), b, runtime.Options{K: 80, Settings: &p.Settings})
				require.NoError(t, err)
			}
			closed := 0
			for i, a := range after.Rows {
				b := before.Rows[i]
				witness := a.Witness
				if witness == nil {
					witness = &why[i]
				}
				needs := a.Status != runtime.Known && slices.ContainsFunc(witness.Atoms, func(x runtime.WitnessAtom) bool {
					return x.Relation == "borders" && !x.Negated && !x.Observed
				})
				if needs {
					closed++
				}
				switch {
				case a.Values[0].ID != b.Values[0].ID || a.Score != b.Score || a.Status != b.Status:
					t.Fatalf("%s, %s: answer %d becomes %+v, was %+v", formula, s, i, a, b)
				case needs && (a.Confidence != nothing || !a.Basis.Complete):
					t.Errorf("%s, %s: %s has confidence %v: %+v", formula, s, a.Values[0].Name, a.Confidence, a.Basis)
				case !needs && a.Status != runtime.Known && a.Confidence != b.Confidence:
					t.Errorf("%s, %s: %s has confidence %v, had %v", formula, s, a.Values[0].Name, a.Confidence, b.Confidence)
				}
			}
			if closed == 0 && !slices.Contains(formulas[3:5], formula) {
				t.Errorf("%s, %s: %d answers need a link of borders", formula, s, closed)
			}
		}
	}
}

// TestCompleteFilter checks that of a complete relation, only known answers are likely, or hold.
func TestCompleteFilter(t *testing.T) {
	m := calibrated(t)
	know(m, 0, "borders")
	_, r := ask(t, m, `borders("France", y)`, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 100, Filter: runtime.AnswerFilter{MinConfidence: 1e-5}})
	borders, err := m.Relation("borders")
	require.NoError(t, err)
	france, err := m.Entity("France")
	require.NoError(t, err)
	if n := len(m.Bundle().Graph.Tails(france.ID(), borders.ID())); len(r.Rows) != n {
		t.Errorf("%d neighbours are likely, want the %d known ones", len(r.Rows), n)
	}
	_, r = ask(t, m, `borders("France", "Japan")`, model.Mixed, compiler.EngineInterpreted, runtime.Options{})
	if v := r.Verdict; v.Holds || v.Confidence != nothing {
		t.Errorf("the verdict is %+v", v)
	}
}

// TestCompleteCount checks that counts expect no missing answer of complete relations.
func TestCompleteCount(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, formula := range []string{`borders("France", y)`, `borders("Iceland", y)`, `exists x. borders("Brazil", x) & official_language(x, y)`} {
		for _, s := range model.AllSemantics {
			for _, complete := range [][]string{nil, {"borders", "official_language"}} {
				know(m, 0, complete...)
				p, err := compiler.Prepare(m, "count y: "+formula, compiler.Options{Semantics: &s})
				require.NoError(t, err)
				r, err := p.Ask(t.Context(), nil, runtime.Options{})
				require.NoError(t, err)
				c := r.Count
				if c.Uncalibrated != "" || (c.Missing == 0) != (complete != nil) || complete != nil && (c.Low != c.High || c.Low != float64(c.Known)) {
					t.Errorf("%s, %s: with %v complete, the count is %+v", formula, s, complete, c)
				}
			}
		}
	}
}

// TestCompleteNegation checks that an answer is certain if only missing facts of complete relations could refute it.
func TestCompleteNegation(t *testing.T) {
	m := calibrated(t)
	for _, c := range []struct {
		formula  string
		complete []string
		certain  bool
	}{
		{`currency(y, "Euro") & !borders("Spain", y)`, nil, false},
		{`currency(y, "Euro") & !borders("Spain", y)`, []string{"currency"}, false},
		{`currency(y, "Euro") & !borders("Spain", y)`, []string{"borders"}, true},
		{`currency(y, "Euro") & !borders("Spain", y) & !official_language(y, "French")`, []string{"borders"}, false},
		{`currency(y, "Euro") & !borders("Spain", y) & !official_language(y, "French")`, []string{"borders", "official_language"}, true},
		{`x, y: currency(x, "Euro") & borders(x, y) & !borders("Spain", y)`, []string{"currency"}, false},
		{`x, y: currency(x, "Euro") & borders(x, y) & !borders("Spain", y)`, []string{"borders"}, true},
		{`currency("France", "Euro") & !borders("Japan", "France")`, []string{"borders"}, true},
	} {
		know(m, 0, c.complete...)
		_, r := ask(t, m, c.formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 60})
		if v := r.Verdict; v != nil {
			r.Rows = []runtime.Row{{Status: v.Status, Confidence: v.Confidence}}
		}
		r.Rows = slices.DeleteFunc(r.Rows, func(x runtime.Row) bool { return x.Status != runtime.Known })
		if len(r.Rows) == 0 || slices.ContainsFunc(r.Rows, func(x runtime.Row) bool { return (x.Confidence == 1) != c.certain }) {
			t.Errorf("%s with %v complete: known answers are %+v, want them certain: %t", c.formula, c.complete, r.Rows, c.certain)
		}
	}
}

// TestCountSum compares the expected number of missing answers with the sum of the confidences of all answers that are
// not known, for each kind of question, also of those for which no relation applies.
func TestCountSum(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, formula := range []string{
		`borders("France", y)`, `capital("Algeria", y)`, // a country without a stored capital
		`currency(y, "Euro")`, `borders("France", y) & official_language(y, "German")`, `exists x. borders("Brazil", x) & official_language(x, y)`,
		`currency(y, "Euro") & !borders("Spain", y)`, `currency(y, "Euro") | official_language(y, "German")`,
		`exists x. borders("France", x) & official_language(x, y) & also_spoken(x, y)`, `currency(y, "Euro") & y != "France"`,
		`(capital|currency){2}("Spanish", y)`, `(borders|official_language){2}("Euro", y)`, `(borders|official_language){1,2}("France", y)`,
		`exists x. borders{1,2}("Brazil", x) & (official_language|also_spoken)(x, y)`, `(time_zone|script){1,2}("Japan", y) & y != "Asia/Tokyo"`,
	} {
		for _, s := range model.AllSemantics {
			var replies []*runtime.Reply
			for _, head := range []string{"", "count y: "} {
				p, err := compiler.Prepare(m, head+formula, compiler.Options{Semantics: &s})
				require.NoError(t, err)
				r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
				require.NoError(t, err)
				replies = append(replies, r)
			}
			sum := 0.0
			for _, row := range replies[0].Rows {
				if row.Status != runtime.Known {
					sum += row.Confidence
				}
			}
			if c := replies[1].Count; !(math.Abs(c.Missing-sum) <= 0.01*sum+nothing*float64(m.NumEntities())) {
				t.Errorf("%s, %s: %v answers are missing, want %v", formula, s, c.Missing, sum)
			}
		}
	}
}
