package calibrate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	asked "github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestCounts fits counts to questions whose answers are true by a chance that depends on the evidence: the curve of
// tails must have these chances. The answers to questions of a single atom are independent, and those to questions of
// several come in fours, of which all are true or none: their bounds are twice as far off. Narrower ones, and those of
// forms without questions, are the bounds of all.
func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	chances := map[float64]float64{-4: 0.001, -1: 0.05, 0: 0.4}
	curve := model.Curve{X: []float64{0, 1}, Y: []float64{0.2, 0.8}}
	o, heads := &observed{tails: map[int]tail{}}, map[int]*head{}
	for i := range 2000 {
		form := i % 2
		together := 1 + 3*form
		for _, u := range slices.Sorted(maps.Keys(chances)) {
			p := point{x: u, weight: 2400}
			for range 2400 / together {
				if rng.Float64() < chances[u] {
					p.hits += float64(together)
				}
			}
			o.tails[i] = append(o.tails[i], p)
		}
		heads[i] = &head{form: form}
		for _, x := range curve.X {
			p := point{x: x, weight: 1}
			if rng.Float64() < curve.At(x) {
				p.hits = 1
			}
			heads[i].add(p, 0)
		}
	}
	c := model.Claims{Evidence: 1, Curve: curve}
	o.counts(&c, heads)
	for u, chance := range chances {
		for form := range 2 {
			if got := c.Tail(form).At(u); math.Abs(got-chance) > 0.15*chance+0.0005 {
				t.Errorf("form %d: the chance at %v is %v, want %v", form, u, got, chance)
			}
		}
	}
	if math.Abs(c.Low[1]+3.29) > 0.3 || math.Abs(c.High[1]-3.29) > 0.3 {
		t.Errorf("the bounds are %v and %v standard deviations, want -3.29 and 3.29 of several atoms", c.Low, c.High)
	}
	if c.Low[0] != c.Low[2] || c.High[0] != c.High[2] || !(c.Low[0] > -3 && c.Low[0] < -2 && c.High[0] < 3 && c.High[0] > 2) {
		t.Errorf("the bounds are %v and %v standard deviations, want those of all of a single atom and of variables", c.Low, c.High)
	}
}

// TestTail compares the tail of a question with what one gets by looking at every entity.
func TestTail(t *testing.T) {
	all := []float64{-13.8, -2.04, -2.01, -2.01, -0.3, -13.8, -0.3}
	q := &question{easy: []int32{1}, hard: []int32{3, 4, 6}}
	got := newTail(q, []runtime.Observed{{Entity: 4}, {Entity: 5}}, all)
	want := tail{{x: -13.8, weight: 1}, {x: -2, hits: 1, weight: 2}, {x: -0.3, hits: 1, weight: 1}}
	if !slices.EqualFunc(got, want, func(a, b point) bool { return math.Abs(a.x-b.x) < 1e-9 && a.hits == b.hits && a.weight == b.weight }) {
		t.Errorf("the tail is %v, want %v", got, want)
	}
}

// ofAnswers is how many of the best unknown answers have a confidence of their own in a count. Others have it by
// evidence alone.
const ofAnswers = 10

// TestCountSum compares counts with the confidences of all entities, as a list of all answers has
// them.
func TestCountSum(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, formula := range []string{`borders("France", y)`, `exists x. borders("Brazil", x) & official_language(x, y)`, `currency(y, "Euro") & !borders("Spain", y)`} {
		for _, s := range model.AllSemantics {
			t.Run(fmt.Sprint(formula, s), func(t *testing.T) {
				p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &s})
				require.NoError(t, err)
				r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
				require.NoError(t, err)
				known, sum := 0, 0.0
				var links []float64
				var tail []runtime.Row
				for _, a := range r.Rows {
					switch {
					case a.Status == runtime.Known:
						known++
					case len(links) < ofAnswers:
						sum += a.Confidence
						links = append(links, a.Basis.Offset+a.Basis.Graph)
					default:
						tail = append(tail, a)
					}
				}
				slices.Sort(links)
				c := m.Bundle().Manifest.Confidence.Of(s).Ordinary
				link := links[(ofAnswers-1)/2]
				for _, a := range tail {
					p := c.Tail(scq.Form(p.Shape().Disjuncts)).At(c.Sum(a.Basis.Evidence, a.Basis.Margin, link))
					sum += model.AmongMissing(p, m.Bundle().Manifest.Missing.Odds(m.Bundle().Manifest.Missing.Assumed))
				}
				wanted := *p.Source
				wanted.Wants = asked.Count
				counting, err := compiler.Prepare(m, &wanted, compiler.Options{Semantics: &s})
				require.NoError(t, err)
				counted, err := counting.Ask(t.Context(), nil, runtime.Options{})
				require.NoError(t, err)
				n := counted.Count
				if n.Known != known || math.Abs(n.Missing-sum) > 1e-3*sum+1e-6 {
					t.Errorf("counted %+v, want %d known and %v others", n, known, sum)
				}
			})
		}
	}
}
