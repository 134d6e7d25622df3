package atoms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// plainRow computes the degrees of a row as package fit defines them, one by one.
func plainRow(m *model.Model, s scale, h int32, r graph.RelationID) []float64 {
	n := m.NumEntities()
	p := &m.Predictor
	query := make([]float32, 2*p.Rank)
	kernels.Project(query, p.EntityTable.Row(graph.EntityID(h), nil), p.Relation(r), false, false)
	about := &m.Manifest.Regularities[r/2]
	degrees := make([]float64, n)
	sum := 0.0
	tails := 0
	for t := range n {
		score := 0.0
		for k, v := range p.EntityTable.Row(graph.EntityID(t), nil) {
			score += float64(v) * float64(query[k])
		}
		heads := 0
		for e := range n {
			if m.Graph.Has(graph.EntityID(e), r, graph.EntityID(t)) {
				heads++
			}
		}
		score += s.terms.Frequency * math.Log(float64(heads)+0.1)
		if t == int(h) {
			score += s.terms.LoopScore(about)
		}
		degrees[t] = math.Exp(score / float64(s.temperature))
		sum += degrees[t]
		if m.Graph.Has(graph.EntityID(h), r, graph.EntityID(t)) {
			tails++
		}
	}
	by := max(1, float64(tails)) / sum
	if tails > 0 {
		by *= s.terms.SecondFactor(about, r)
	}
	for t := range degrees {
		degrees[t] = min(Limit, degrees[t]*by)
		switch {
		case m.Graph.Has(graph.EntityID(h), r, graph.EntityID(t)):
			degrees[t] = 1
		case math.Abs(degrees[t]/float64(s.threshold)-1) < 2e-3:
			degrees[t] = math.NaN() // rounding decides
		case degrees[t] < float64(s.threshold):
			degrees[t] = 0
		}
	}
	return degrees
}

// givenTo returns the scores of a row as message passing has them.
func givenTo(m *model.Model, x Key, sign float32) Given {
	p := &m.Predictor
	query := make([]float32, 2*p.Rank)
	kernels.Project(query, p.EntityTable.Row(graph.EntityID(x.H), nil), p.Relation(x.R), false, sign < 0)
	scores := make([]float32, m.NumEntities())
	p.EntityTable.DotRows(scores, 0, len(scores), query)
	return Given{Scores: scores, Sign: sign}
}

// changedFacts returns a model with random facts added and removed, and with new entities if it is to be lent.
func changedFacts(t *testing.T, rng *rand.Rand, m *model.Model, lend bool) *model.Model {
	t.Helper()
	n := m.NumEntities()
	if lend {
		var names []string
		for i := range 1 + rng.IntN(3) {
			names = append(names, fmt.Sprint("new ", i))
		}
		rows := modeltest.Normals(rng, len(names)*2*m.Predictor.Rank)
		for i := range rows {
			rows[i] *= 0.4
		}
		lent, err := m.Lent(names, rows)
		require.NoError(t, err)
		m = lent
	}
	var c model.Change
	for range rng.IntN(4) {
		x := graph.Triple{Head: graph.EntityID(rng.IntN(m.NumEntities())), Relation: 0, Tail: graph.EntityID(rng.IntN(m.NumEntities()))}
		if rng.IntN(3) == 0 {
			head, r, tail := m.Graph.Edge(rng.IntN(m.Graph.NumTriples()))
			x = graph.TripleOf(head, r, tail)
			c.Remove = append(c.Remove, x)
			continue
		}
		if rng.IntN(3) == 0 {
			x.Tail = graph.EntityID(n - 1)
		}
		c.Add = append(c.Add, x)
	}
	changed, _, err := m.With(c)
	require.NoError(t, err)
	return changed
}

// TestDerive makes rows of a model, changes its facts and lends it with new entities, and compares all rows with those
// computed one by one. Most of them are derived from the rows before the change.
func TestDerive(t *testing.T) {
	const n, rank = 90, 20
	rng := rand.New(rand.NewPCG(seed.Of(t), 58))
	plain, coded := modeltest.Coded(t, n, rank, 0.4)
	derived := 0
	all := 0
	for round := range 60 {
		m := []*model.Model{plain, coded}[round%2]
		s := scale{threshold: 0.003, temperature: 0.5 + rng.Float32()}
		if round%5 > 0 {
			s.terms = model.ScoreTerms{Frequency: 0.3, Loop: 0.5, Second: float64(round % 3)}
		}
		detail := ExactRow
		near := 1e-5
		if m == coded {
			detail = Detail(round / 2 % 3)
			near = 5e-4
		}
		var keys []Key
		for range 12 {
			keys = append(keys, Key{H: rng.Int32N(n), R: graph.RelationID(rng.IntN(4)), Detail: detail})
		}
		c := newCache(m, DefaultBudget)
		made := requestFor(c, s, keys...)
		for _, x := range keys[:rng.IntN(len(keys))] {
			made.Given = append(made.Given, givenTo(m, x, float32(1-2*rng.IntN(2))))
		}
		require.NoError(t, c.fetch([]*Request{made}))
		c.release(made.read)
		lend := round%4 < 2
		changed := changedFacts(t, rng, m, lend)
		if lend {
			c = c.For(changed, nil)
		}
		before := len(c.sources)
		r := requestFor(c, s, keys...)
		r.facts = changed
		require.NoError(t, c.fetch([]*Request{r}))
		for i, x := range keys {
			row := r.Made[i]
			for e, want := range plainRow(changed, s, x.H, x.R) {
				got := float64(row.At(int32(e)))
				if row.Exact != nil && want < 1 {
					got = float64(row.Exact.Degree(int32(e)))
				}
				if math.Abs(got-want) > 1e-6+near*want {
					t.Fatalf("round %d: row %v has %v for %d, want %v", round, x, got, e, want)
				}
			}
		}
		checkHeld(t, c, r)
		distinct := map[Key]bool{}
		for _, x := range keys {
			distinct[x] = true
		}
		all += len(distinct)
		derived += len(distinct) - (len(c.sources) - before)
		c.release(r.read)
		changed.GiveBack()
	}
	t.Logf("%d of %d rows are derived", derived, all)
	if 2*derived < all {
		t.Errorf("%d of %d rows are derived", derived, all)
	}
}

// TestDeriveRoom uses a cache again for another lent model: its rows are those of the latter.
func TestDeriveRoom(t *testing.T) {
	const n, rank = 60, 8
	rng := rand.New(rand.NewPCG(1, 58))
	m, _ := modeltest.Coded(t, n, rank, 0.4)
	s := scale{threshold: 0.001, temperature: 1}
	base := newCache(m, DefaultBudget)
	base.KeepSweeps(true)
	fetch(t, base, s, Key{H: 1})
	var c *Cache
	for range 5 {
		lent, err := m.Lent([]string{"new"}, modeltest.Normals(rng, 2*rank))
		require.NoError(t, err)
		c = base.For(lent, c)
		name := SweepName{1, 2}
		if results, _, wanted := c.Sweep(name, name); results != nil || wanted {
			t.Error("a sweep of an earlier model is known")
		}
		c.KeepSweep(name, name, 1, 8)
		for _, x := range []Key{{H: 1}, {H: 2}, {H: n}} {
			row := fetch(t, c, s, x)[0]
			for e, want := range plainRow(lent, s, x.H, x.R) {
				if got := float64(row.At(int32(e))); math.Abs(got-want) > 1e-6+1e-5*want {
					t.Fatalf("row %v has %v for %d, want %v", x, got, e, want)
				}
			}
		}
		lent.GiveBack()
	}
}
