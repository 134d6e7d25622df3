package query_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/world"
)

// calibrated opens the world with a calibration that is easily computed: the confidence of a
// score is its logarithm on a scale, times a factor for strength.
func calibrated(t *testing.T) *query.Model {
	t.Helper()
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	c := model.Calibration{
		Score:    model.Curve{X: []float64{1e-6, 1}, Y: []float64{0, 0.9}},
		Strength: model.Curve{X: []float64{1e-4, 1e-2}, Y: []float64{0, 1}},
		Known:    0.95,
	}
	m.Manifest.Confidence = model.Confidence{}
	for _, s := range model.AllSemantics {
		m.Manifest.Confidence[s.String()] = map[string]model.Calibration{model.AnyFamily: c}
	}
	return m
}

var formulas = []string{
	`borders("France", y)`,
	`borders("Brazil", y) & official_language(y, "Spanish")`,
	`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`,
	`official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`,
	`exists x. borders("France", x) & official_language(x, y) & also_spoken(x, y)`,
}

// TestConfidence checks for all semantics and engines that the confidence of what is not
// known follows the score, that of what is known is the calibration's, and that the engines
// agree on the evidence.
func TestConfidence(t *testing.T) {
	m := calibrated(t)
	for _, formula := range formulas {
		for _, semantics := range model.AllSemantics {
			var first *query.Answers
			for _, engine := range []compiler.Engine{compiler.EngineInterpreted, compiler.EngineLayers} {
				p, err := compiler.PrepareFormula(m, formula, compiler.PrepareOptions{Semantics: new(semantics), Engine: engine})
				if err != nil {
					t.Fatal(err)
				}
				r, err := p.Answer(t.Context(), query.Options{K: 60})
				if err != nil || r.Uncalibrated != "" {
					t.Fatalf("%s, %s, %s: %v, uncalibrated: %s", formula, semantics, engine, err, r.Uncalibrated)
				}
				before := math.Inf(1)
				for i, a := range r.Answers {
					if a.Status == query.Known {
						if a.Confidence != 0.95 {
							t.Errorf("%s, %s, %s: %s is known with confidence %v", formula, semantics, engine, a.Name, a.Confidence)
						}
						continue
					}
					if a.Confidence > before || a.Confidence <= 0 || a.Confidence > 0.9/(1-0.9*0.1) {
						t.Errorf("%s, %s, %s: %s has confidence %v behind %v", formula, semantics, engine, a.Name, a.Confidence, before)
					}
					before = a.Confidence
					if first != nil && math.Abs(a.Confidence-first.Answers[i].Confidence) > 1e-3 {
						t.Errorf("%s, %s: answer %d has confidence %v, by engine %s %v", formula, semantics, i, first.Answers[i].Confidence, engine, a.Confidence)
					}
				}
				if first == nil {
					first = r
				}
			}
		}
	}
}

// TestStrength checks that shares of nothing are seen to be that: four countries have no
// capital in common, and a country has neighbours.
func TestStrength(t *testing.T) {
	m := calibrated(t)
	for _, semantics := range []model.Semantics{model.NSMP, model.Mixed} {
		strength := func(formula string) (s float64) {
			p, err := compiler.PrepareFormula(m, formula, compiler.PrepareOptions{Semantics: new(semantics)})
			if err != nil {
				t.Fatal(err)
			}
			b, err := p.Bindings(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Query.Run(t.Context(), b, nil, func(w *query.Workspace) error {
				s = w.Strength(semantics, slices.Max(w.Answer()))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		one, none := strength(`capital("France", y)`), strength(`capital("France", y) & capital("Japan", y) & capital("Brazil", y) & capital("Kenya", y)`)
		if !(one > 0.1 && one <= 1+1e-6 && none < 1e-4) {
			t.Errorf("%s: a capital has strength %v, that of four countries %v", semantics, one, none)
		}
	}
}

// TestMinConfidence compares the filter with all answers, filtered by hand.
func TestMinConfidence(t *testing.T) {
	m := calibrated(t)
	for _, formula := range formulas {
		p, err := compiler.PrepareFormula(m, formula, compiler.PrepareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Answer(t.Context(), query.Options{K: m.NumEntities()})
		if err != nil {
			t.Fatal(err)
		}
		for _, least := range []float64{0.05, 0.3, 0.92, 1} {
			got, err := p.Answer(t.Context(), query.Options{K: m.NumEntities(), Filter: query.Filter{MinConfidence: least}})
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(all.Answers), func(a query.Answer) bool { return a.Confidence < least })
			if !slices.Equal(entities(got.Answers), entities(want)) {
				t.Errorf("%s: with confidence %v there are %d answers, want %d", formula, least, len(got.Answers), len(want))
			}
		}
	}
}

// TestUncalibrated checks that it is said why answers have no confidence.
func TestUncalibrated(t *testing.T) {
	m := calibrated(t)
	p, err := compiler.PrepareFormula(m, formulas[0], compiler.PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other := p.Settings
	other.Lambda = 0.7
	reference, err := compiler.PrepareFormula(m, formulas[0], compiler.PrepareOptions{Engine: compiler.EngineReference})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	bare.Manifest.Confidence = nil
	none, err := compiler.PrepareFormula(bare, formulas[0], compiler.PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    *compiler.Prepared
		s    model.Settings
		want string
	}{
		{p, other, "calibrated with other settings"},
		{reference, reference.Settings, "leaves no evidence"},
		{none, none.Settings, "not calibrated for semantics nsmp"},
	} {
		r, err := c.p.Answer(t.Context(), query.Options{K: 3, Settings: &c.s})
		if err != nil || !strings.Contains(r.Uncalibrated, c.want) || r.Answers[0].Confidence != 0 {
			t.Errorf("uncalibrated %q (%v), want %q", r.Uncalibrated, err, c.want)
		}
		_, err = c.p.Answer(t.Context(), query.Options{Settings: &c.s, Filter: query.Filter{MinConfidence: 0.5}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a filter by confidence says %v, want %q", err, c.want)
		}
	}
	if _, err := p.Answer(t.Context(), query.Options{Filter: query.Filter{MinConfidence: 2}}); err == nil || !strings.Contains(err.Error(), "MinConfidence is 2") {
		t.Errorf("a confidence of 2 says %v", err)
	}
}
