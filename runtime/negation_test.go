package runtime_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// negations are questions with negated atoms, whose only other relations are currency and official_language.
var negations = []string{
	`currency(y, "Euro") & !borders("Spain", y)`,
	`currency(y, "Euro") & !borders("Spain", y) & !in_continent(y, "Europe")`,
	`exists x. official_language(x, y) & currency(x, "Euro") & !also_spoken("France", y)`,
	`exists x. official_language(x, y) & currency(x, "Euro") & !borders(x, "Spain")`,
	`currency(y, "Euro") & (!borders("Spain", y) | official_language(y, "French"))`,
}

// knownTo returns the confidences of known answers.
func knownTo(t *testing.T, m *runtime.Model, formula string, s model.Semantics, o runtime.Options) map[graph.EntityID]float64 {
	t.Helper()
	o.K = cmp.Or(o.K, m.NumEntities())
	o.Filter.Statuses = runtime.Known
	_, r := ask(t, m, formula, s, compiler.EngineInterpreted, o)
	if len(r.Rows) < 3 {
		t.Fatalf("%s: there are only %d known answers", formula, len(r.Rows))
	}
	list := map[graph.EntityID]float64{}
	for _, row := range r.Rows {
		list[row.Values[0].ID] = row.Confidence
	}
	return list
}

// refutedOdds are the odds that an answer is refuted.
func refutedOdds(confidence float64) float64 { return (1 - confidence) / confidence }

// TestNegation checks the confidence of known answers that missing facts may refute: the odds of these are proportional to
// the odds of a missing fact, at any share, and 0 at none; the answers of less truth degree are the less certain; a
// question of held-out facts has their share; and pages and filters change nothing.
func TestNegation(t *testing.T) {
	m := calibrated(t)
	missing := &m.Bundle().Manifest.Missing
	for _, formula := range negations {
		for _, s := range model.AllSemantics {
			missing.Assumed = 0.05
			usual := knownTo(t, m, formula, s, runtime.Options{})
			for _, share := range []float64{0, 0.001, 0.02, 0.3} {
				missing.Assumed = share
				times := share / (1 - share) / (0.05 / 0.95)
				for e, c := range knownTo(t, m, formula, s, runtime.Options{}) {
					if got, want := refutedOdds(c), times*refutedOdds(usual[e]); math.Abs(got-want) > 1e-9*(1+want) || share == 0 && c != 1 {
						t.Errorf("%s, %s: %d is refuted by odds %v at a share of %v, want %v", formula, s, e, got, share, want)
					}
				}
			}
			for e, c := range knownTo(t, m, formula, s, runtime.Options{HeldOut: 0.05}) {
				if math.Abs(c-usual[e]) > 1e-9 {
					t.Errorf("%s, %s: %d has confidence %v with a twentieth held out, and %v if it is missing", formula, s, e, c, usual[e])
				}
			}

			missing.Assumed = 0.05
			order := slices.SortedFunc(keys(usual), func(a, b graph.EntityID) int { return cmp.Compare(usual[a], usual[b]) })
			middle := usual[order[len(order)/2]]
			for _, o := range []runtime.Options{{K: 4, Offset: 2}, {Filter: runtime.AnswerFilter{InRange: true}}, {Filter: runtime.AnswerFilter{MinConfidence: middle}}} {
				some := knownTo(t, m, formula, s, o)
				for e, c := range some {
					if math.Abs(c-usual[e]) > 1e-6 {
						t.Errorf("%s, %s: %d has confidence %v by %+v, want %v", formula, s, e, c, o, usual[e])
					}
				}
				if want := len(order) - slices.IndexFunc(order, func(e graph.EntityID) bool { return usual[e] >= middle }); o.Filter.MinConfidence > 0 && len(some) != want {
					t.Errorf("%s, %s: %d of %d answers have confidence %v or more, want %d", formula, s, len(some), len(order), middle, want)
				}
			}

			_, degrees := ask(t, m, formula, model.FIT, compiler.EngineInterpreted, runtime.Options{K: m.NumEntities(), Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
			for i, row := range degrees.Rows[1:] { // by truth degree
				e, before := row.Values[0].ID, degrees.Rows[i].Values[0].ID
				if usual[e] > usual[before]+1e-6 {
					t.Errorf("%s, %s: %d has confidence %v and a smaller truth degree than %d with %v", formula, s, e, usual[e], before, usual[before])
				}
			}
		}
	}
}

// keys returns the keys of a map.
func keys(of map[graph.EntityID]float64) func(func(graph.EntityID) bool) {
	return func(yield func(graph.EntityID) bool) {
		for e := range of {
			if !yield(e) {
				return
			}
		}
	}
}

// TestNegationCount counts answers where only negated relations lack facts. The bounds are those of a sum of independent
// answers, each known one with its confidence.
func TestNegationCount(t *testing.T) {
	m := calibrated(t)
	know(m, 0, "currency", "official_language")
	confidence := m.Bundle().Manifest.Confidence
	for name, c := range confidence {
		c.Ordinary.Low = [model.Forms]float64{-1, -2, -3}
		c.Ordinary.High = [model.Forms]float64{1, 2, 3}
		confidence[name] = c
	}
	for _, formula := range negations {
		for _, s := range model.AllSemantics {
			known := knownTo(t, m, formula, s, runtime.Options{})
			low := float64(len(known))
			variance := 0.0
			for _, c := range known {
				low -= 1 - c
				variance += c * (1 - c)
			}
			deviations := 2.0
			if strings.HasPrefix(formula, "exists") {
				deviations = 3
			}
			low -= deviations * math.Sqrt(variance)
			p, err := compiler.Prepare(m, "count y: "+formula, compiler.Options{Semantics: &s})
			require.NoError(t, err)
			r, err := p.Ask(t.Context(), nil, runtime.Options{})
			require.NoError(t, err)
			if n := r.Count; n.Known != len(known) || n.Missing != 0 || n.High != float64(n.Known) || math.Abs(n.Low-max(0, low)) > 1e-3 {
				t.Errorf("%s, %s: the count is %+v, want at least %v of %d known", formula, s, n, low, len(known))
			}
		}
	}
}

// TestNegationAssumed assumes facts: an answer that they refute is not known any more, and one that they make known has the
// confidence that its truth degree has then.
func TestNegationAssumed(t *testing.T) {
	m := calibrated(t)
	named := func(head, relation, tail string) graph.Triple {
		h, err := m.Entity(head)
		require.NoError(t, err)
		r, err := m.Relation(relation)
		require.NoError(t, err)
		e, err := m.Entity(tail)
		require.NoError(t, err)
		return graph.TripleOf(h.ID(), r.ID(), e.ID())
	}
	refuting := named("Spain", "borders", "Finland")
	making := named("Japan", "currency", "Euro")
	assumed, err := m.Assume(func(now *model.Model) (*model.Model, error) {
		next, _, err := now.With(model.Change{Add: []graph.Triple{refuting, making}})
		return next, err
	})
	require.NoError(t, err)
	for _, s := range model.AllSemantics {
		before := knownTo(t, m, negations[0], s, runtime.Options{})
		after := knownTo(t, assumed, negations[0], s, runtime.Options{})
		_, is := after[refuting.Tail]
		if _, was := before[refuting.Tail]; !was || is {
			t.Errorf("%s: Finland is known: %t, and by a fact that refutes it: %t", s, was, is)
		}
		_, degrees := ask(t, assumed, negations[0], model.FIT, compiler.EngineInterpreted, runtime.Options{K: m.NumEntities(), Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
		found := false
		for _, row := range degrees.Rows {
			e := row.Values[0].ID
			found = found || e == making.Head
			if want := unrefuted(assumed, s, float64(row.Score)); math.Abs(after[e]-want) > 1e-3 {
				t.Errorf("%s: %s has confidence %v by assumptions, want %v", s, row.Values[0].Name, after[e], want)
			}
		}
		if !found {
			t.Errorf("%s: Japan is not known by the fact that it has the Euro", s)
		}
	}
}
