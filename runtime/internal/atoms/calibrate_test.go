package atoms

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// loudModel is a model of two relations, without observed facts, and facts of both. The second
// relation scores twice as loud as the first. The facts of both are the same, drawn as the first has
// them at temperature 0.8.
func loudModel(t *testing.T) (*model.Model, []graph.Triple) {
	t.Helper()
	const n, rank = 60, 4
	rng := rand.New(rand.NewPCG(7, 8))
	normals := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	rows := normals(n * 2 * rank)
	quiet := normals(2 * rank)
	for i, x := range quiet[:2*rank] { // the inverse, its conjugate
		if i >= rank {
			x = -x
		}
		quiet = append(quiet, x)
	}
	relations := append([]float32{}, quiet...)
	for _, x := range quiet {
		relations = append(relations, 2*x)
	}
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: 2, Facts: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}}, Rank: rank, Rows: rows, RelationRows: relations,
	})
	t.Cleanup(func() { m.Close() })
	var facts []graph.Triple
	k := newMaker(m)
	for h := range int32(n) {
		k.sweep([]Key{{H: h}})
		for range 2 {
			at, most := 0, math.Inf(-1)
			for e, s := range k.scores {
				// The largest of scores with Gumbel noise is a draw from their softmax.
				if x := float64(s)/0.5 - math.Log(-math.Log(rng.Float64())); x > most {
					at, most = e, x
				}
			}
			for r := range int32(2) {
				facts = append(facts, graph.Triple{Head: graph.EntityID(h), Relation: r, Tail: graph.EntityID(at)})
			}
		}
	}
	return m, facts
}

// TestCalibrate checks that a relation that scores twice as loud gets about twice the temperature, and
// that its rows then equal the other's.
func TestCalibrate(t *testing.T) {
	m, facts := loudModel(t)
	last, total := 0, 0
	factors, err := Calibrate(context.Background(), m, facts, func(d, n int) { last, total = d, n })
	require.NoError(t, err)
	// Twenty average facts among some hundred draw the ratio towards 1.
	if ratio := factors[2] / factors[0]; len(factors) != 4 || ratio < 1.5 || ratio > 2.1 || last != total || total < 4*30 {
		t.Errorf("factors are %v, want the third about twice the first; %d of %d rows", factors, last, total)
	}
	m.Manifest.Temperatures = []float64{1, 1, 2, 2}
	rows := fetch(t, newCache(m, 0), scale{temperature: 0.5}, Key{H: 3, R: 0}, Key{H: 3, R: 2})
	quiet, loud := rows[0], rows[1]
	for e := range int32(60) {
		if a, b := quiet.At(e), loud.At(e); math.Abs(float64(a-b)) > 1e-5*float64(a) {
			t.Errorf("entity %d has degree %v by the quiet relation and %v by the loud one", e, a, b)
		}
	}
	// A relation without facts behaves as the average of all.
	only := facts[:0:0]
	for _, f := range facts {
		if f.Relation == 0 {
			only = append(only, f)
		}
	}
	if factors, err = Calibrate(context.Background(), m, only, nil); err != nil || factors[2] != 1 || factors[3] != 1 {
		t.Errorf("factors are %v (%v), want 1 for the relation without facts", factors, err)
	}
}

func TestCalibrateErrors(t *testing.T) {
	m, facts := loudModel(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Calibrate(ctx, m, facts, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
	for _, c := range []struct {
		facts []graph.Triple
		want  string
	}{
		{nil, "want those of a validation split"},
		{[]graph.Triple{{Head: 0, Relation: 0, Tail: 1}}, "want those of a validation split"}, // it is observed
		{[]graph.Triple{{Head: 0, Relation: 2, Tail: 1}}, "2 relations"},
		{[]graph.Triple{{Head: 60, Relation: 0, Tail: 1}}, "60 entities"},
	} {
		if _, err := Calibrate(context.Background(), m, c.facts, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error is %v, want %q", c.facts, err, c.want)
		}
	}
}

// TestLowest checks the vertex of a parabola over log τ.
func TestLowest(t *testing.T) {
	for _, want := range []float64{0.4, 0.6, 1.3} {
		losses := make([]float64, len(calibrateAt))
		for j, at := range calibrateAt {
			d := math.Log(at) - math.Log(want)
			losses[j] = 3 + 2*d*d
		}
		if got := lowest(losses); math.Abs(got-want) > 1e-9 {
			t.Errorf("the least is at %v, want %v", got, want)
		}
	}
	if got := lowest(make([]float64, len(calibrateAt))); got != calibrateAt[0] {
		t.Errorf("of level losses the least is at %v", got)
	}
}
