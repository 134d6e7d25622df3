package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	asked "github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestCounts fits counts to questions whose answers are true by a chance that depends on the evidence. The answers to
// questions of a single atom are independent, and those to questions of several come in fours, of which all are true or
// none: their bounds are twice as far off. Narrower ones, and those of forms without questions, are the bounds of all.
func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	curve := model.Curve{X: []float64{-4, -1, 0}, Y: []float64{0.001, 0.05, 0.4}}
	questions := map[int]*answers{}
	for i := range 2000 {
		form := i % 2
		together := 1 + 3*form
		questions[i] = &answers{form: form}
		for k, u := range curve.X {
			p := point{x: u, weight: 2400}
			for range 2400 / together {
				if rng.Float64() < curve.Y[k] {
					p.hits += float64(together)
				}
			}
			questions[i].points = append(questions[i].points, p)
		}
	}
	c := model.Claims{Curves: modeltest.Curves(curve)}
	counts(&c, questions)
	if math.Abs(c.Low[1]+3.29) > 0.3 || math.Abs(c.High[1]-3.29) > 0.3 {
		t.Errorf("the bounds are %v and %v standard deviations, want -3.29 and 3.29 of several atoms", c.Low, c.High)
	}
	if c.Low[0] != c.Low[2] || c.High[0] != c.High[2] || !(c.Low[0] > -3 && c.Low[0] < -2 && c.High[0] < 3 && c.High[0] > 2) {
		t.Errorf("the bounds are %v and %v standard deviations, want those of all of a single atom and of variables", c.Low, c.High)
	}
}

// TestSample compares what is looked at of a question with all entities: the best and the true ones stand for
// themselves, and all together for all.
func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		ranked := make([]graph.EntityID, rng.IntN(500))
		for i, e := range rng.Perm(len(ranked)) {
			ranked[i] = graph.EntityID(e)
		}
		q := &question{}
		for e := range int32(len(ranked)) {
			if rng.IntN(20) == 0 {
				q.hard = append(q.hard, e)
			}
		}
		list, weights := q.sample(rng, ranked)
		of := map[graph.EntityID]float64{}
		sum := 0.0
		for i, e := range list {
			of[e] += weights[i]
			sum += weights[i]
		}
		if len(of) != len(list) || math.Abs(sum-float64(len(ranked))) > 1e-9 {
			t.Errorf("%d entities, %d different ones, stand for %v, want %d", len(list), len(of), sum, len(ranked))
		}
		for _, e := range ranked[:min(perQuery, len(ranked))] {
			if of[e] != 1 {
				t.Errorf("a best entity stands for %v", of[e])
			}
		}
		for _, e := range q.hard {
			if of[graph.EntityID(e)] != 1 {
				t.Errorf("a true entity stands for %v", of[graph.EntityID(e)])
			}
		}
	}
}

// sums returns the number of known answers to a question, the sum of the confidences of all others, and the count.
func sums(t *testing.T, m *runtime.Model, formula string, s model.Semantics) (known int, sum float64, counted *runtime.Count) {
	t.Helper()
	p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
	require.NoError(t, err)
	for _, a := range r.Rows {
		if a.Status == runtime.Known {
			known++
		} else {
			sum += a.Confidence
		}
	}
	wanted := *p.Source
	wanted.Wants = asked.Count
	counting, err := compiler.Prepare(m, &wanted, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	c, err := counting.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	return known, sum, c.Count
}

// TestCountSum compares counts with the confidences of all entities, as a list of all answers has them, for each kind of
// question.
func TestCountSum(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, complete := range []bool{false, true} {
		for _, formula := range []string{
			`borders("France", y)`, `capital("Greenland", y)`, `currency(y, "Euro")`, `week_starts_on(y, "Paris")`,
			`exists x. borders("Brazil", x) & official_language(x, y)`, `borders("France", y) & official_language(y, "German")`,
			`currency(y, "Euro") & !borders("Spain", y)`, `borders("France", y) | capital(y, "Madrid")`, `borders("France", y) & y != "Italy"`,
		} {
			for _, s := range model.AllSemantics {
				t.Run(fmt.Sprint(formula, s, complete), func(t *testing.T) {
					m.Bundle().Manifest.Missing.Relations = map[string]float64{"capital": 0, "borders": 0}
					if !complete {
						m.Bundle().Manifest.Missing.Relations = nil
					}
					known, sum, n := sums(t, m, formula, s)
					if n.Known != known || math.Abs(n.Missing-sum) > 1e-5*sum+1e-5 {
						t.Errorf("counted %+v, want %d known and %v others", n, known, sum)
					}
				})
			}
		}
	}
}

// TestShare halves the share of missing facts, which halves about the number of missing answers, whether their ends have
// facts or none; a share that entered twice would divide it by about four.
func TestShare(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	const share = 0.04
	of := func(share float64) (all [4]float64) {
		m.Bundle().Manifest.Missing.Assumed = share
		for _, name := range []string{"France", "Peru", "Kenya", "Fiji", "Guam", "Paris", "Hindi"} {
			for _, relation := range []string{"borders", "also_spoken", "former_currency", "regional_language"} {
				_, sum, n := sums(t, m, fmt.Sprintf("%s(%q, y)", relation, name), model.Mixed)
				all[0] += sum
				all[1] += n.Missing
				_, sum, _ = sums(t, m, fmt.Sprintf("%s(y, %q)", relation, name), model.Mixed)
				all[2] += sum
			}
		}
		search, err := missing.New(m, missing.Options{K: 5000, Questions: 400})
		require.NoError(t, err)
		report, err := search.Run(t.Context())
		require.NoError(t, err)
		for _, f := range report.Facts {
			all[3] += f.Confidence
		}
		return all
	}
	whole := of(share)
	half := of(share / 2)
	for i, what := range []string{"answers", "counts", "answers from the other end", "missing facts"} {
		if ratio := whole[i] / half[i]; ratio < 1.7 || ratio > 2.3 {
			t.Errorf("%s: %v are missing at a share of %v, and %v at half of it, want about half", what, whole[i], share, half[i])
		}
	}
}
