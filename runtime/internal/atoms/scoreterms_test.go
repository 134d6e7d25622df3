package atoms

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// silentModel is a model whose link predictor gives every link the score 0.
func silentModel(t *testing.T, n int, facts []graph.Triple) *model.Model {
	t.Helper()
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: 1, Facts: facts, Rank: 1, Rows: make([]float32, 2*n), RelationRows: make([]float32, 4),
	})
	t.Cleanup(func() { m.Close() })
	return m
}

// TestScoreTerms compares rows with ones worked out by hand: a tail has the weight f + 0.1, a loop the
// share 0.01/4 of it, and the links of a head that has a tail the odds 0.5/3.5 of another one.
func TestScoreTerms(t *testing.T) {
	m := silentModel(t, 4, []graph.Triple{{Head: 0, Tail: 1}, {Head: 2, Tail: 1}, {Head: 3, Tail: 2}})
	m.Manifest.ScoreTerms = model.ScoreTerms{Frequency: 1, Loop: 1, Second: 1}
	s := scaleOf(m, &model.Degrees{Temperature: 1, Regularities: true})
	const loop, second = 0.01 / 4, 0.5 / 3.5
	open, taken := 0.1+2.1*loop+1.1+0.1, 0.1*loop+2.1+1.1+0.1
	want := [][]float64{
		{second * 0.1 * loop / taken, 1, second * 1.1 / taken, second * 0.1 / taken},
		{0.1 / open, 2.1 * loop / open, 1.1 / open, 0.1 / open},
	}
	for h, row := range fetch(t, newCache(m, 0), s, Key{H: 0, R: 0}, Key{H: 1, R: 0}) {
		for e, w := range want[h] {
			if got := float64(row.At(int32(e))); math.Abs(got-w) > 1e-6 {
				t.Errorf("the link of %d to %d has degree %v, want %v", h, e, got, w)
			}
		}
	}

	s = scaleOf(m, &model.Degrees{Temperature: 1})
	for _, row := range fetch(t, newCache(m, 0), s, Key{H: 1, R: 0}) {
		for e := range int32(4) {
			if got := row.At(e); math.Abs(float64(got)-0.25) > 1e-6 {
				t.Errorf("without regularities, the link of 1 to %d has degree %v, want 0.25", e, got)
			}
		}
	}
}

// TestScoreTermsFollow adds a fact: a kept row of another head has the frequencies of the new facts.
func TestScoreTermsFollow(t *testing.T) {
	before := silentModel(t, 4, []graph.Triple{{Head: 0, Tail: 1}, {Head: 2, Tail: 1}, {Head: 3, Tail: 2}})
	before.Manifest.ScoreTerms = model.ScoreTerms{Frequency: 1}
	after, _, err := before.With(model.Change{Add: []graph.Triple{{Head: 0, Tail: 2}}})
	require.NoError(t, err)
	c := newCache(before, 1<<20)
	for m, want := range map[*model.Model]float64{before: 1.1 / 3.4, after: 2.1 / 4.4} {
		for range 2 {
			r := requestFor(c, scaleOf(m, &model.Degrees{Temperature: 1, Regularities: true}), Key{H: 1, R: 0})
			r.facts = m
			require.NoError(t, c.fetch([]*Request{r}))
			if got := float64(r.Made[0].At(2)); math.Abs(got-want) > 1e-6 {
				t.Errorf("the link to 2 has degree %v, want %v", got, want)
			}
			c.release(r.read)
		}
	}
}

// TestFitScoreTerms fits weights to facts that frequencies tell, without loops and second values, and to
// facts that scores alone tell.
func TestFitScoreTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 200
	draw := func(h int) graph.Triple { // a few tails are frequent
		for {
			tail := int(float64(n) * math.Pow(rng.Float64(), 4))
			if tail != h {
				return graph.Triple{Head: graph.EntityID(h), Tail: graph.EntityID(tail)}
			}
		}
	}
	var facts, held []graph.Triple
	for h := range n / 2 {
		facts, held = append(facts, draw(h)), append(held, draw(n/2+h))
	}
	m := silentModel(t, n, facts)
	s, err := FitScoreTerms(t.Context(), m, held)
	if err != nil || s.Frequency == 0 || s.Loop == 0 {
		t.Errorf("weights %+v, %v, want frequency and loops to have some", s, err)
	}

	m, held = loudModel(t)
	if s, err = FitScoreTerms(t.Context(), m, held); err != nil || s.Any() {
		t.Errorf("weights %+v, %v, want none", s, err)
	}
}

// TestSecondWeight fits the weight of second values to two relations: heads of the first have one tail,
// heads of the second two, and only the latter lack more.
func TestSecondWeight(t *testing.T) {
	const n = 300
	var facts, held []graph.Triple
	for h := range graph.EntityID(n / 3) {
		facts = append(facts, graph.Triple{Head: h, Tail: h + n/3})
		for i := range graph.EntityID(2) {
			facts = append(facts, graph.Triple{Head: h, Relation: 1, Tail: h + (i+1)*n/3})
		}
		held = append(held, graph.Triple{Head: h, Relation: 1, Tail: (h + 1) % (n / 3)})
	}
	m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 2, Facts: facts, Rank: 1, Rows: make([]float32, 2*n), RelationRows: make([]float32, 8)})
	t.Cleanup(func() { m.Close() })
	if got := secondWeight(m, held); got != 1 {
		t.Errorf("weight %v, want 1", got)
	}
	for i := range held { // the inverses, whose heads have one tail each, lack others in proportion
		held[i] = graph.Triple{Head: held[i].Tail, Relation: int32(i % 3 / 2), Tail: held[i].Head + n/3}
		if i%3 == 2 {
			held[i].Tail += n / 3
		}
	}
	if got := secondWeight(m, held); got != 0 {
		t.Errorf("weight %v, want 0", got)
	}
}

// TestFitScoreTermsErrors stops, and gives no facts.
func TestFitScoreTermsErrors(t *testing.T) {
	m, facts := loudModel(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FitScoreTerms(ctx, m, facts); err == nil {
		t.Error("an ended context gives weights")
	}
	if _, err := FitScoreTerms(t.Context(), m, nil); err == nil {
		t.Error("no facts give weights")
	}
}
