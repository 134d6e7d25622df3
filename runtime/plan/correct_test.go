package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
)

// estimated sums the rows with the estimates g and h and corrects them to the state:
// h may be nil.
func estimated(t *testing.T, m *model.Model, x, g, h Vector) Embedding {
	t.Helper()
	w := newTestWorkspace(m, 2, 2)
	s := w.Sweep()
	estimates := []Estimate{s.Estimate(0, 0, w.put(g))}
	if h != nil {
		estimates = append(estimates, s.Estimate(1, 1, w.put(h)))
	}
	if s.Run(); w.Err() != nil {
		t.Fatal(w.Err())
	}
	w.Correct(0, w.put(x), estimates...)
	return w.Embedding(0)
}

// checkCorrected compares a corrected sum with the exact one: their distance is
// small beside the length of the sum, and beside the rounding of its terms. Of codes, those
// of the largest terms are replaced.
func checkCorrected(t *testing.T, what string, m *model.Model, got Embedding, x Vector) {
	t.Helper()
	want, _ := exactSum(m, x)
	distance, size, terms := 0.0, 0.0, 0.0
	for i, v := range want {
		distance += (float64(got[i]) - v) * (float64(got[i]) - v)
		size += v * v
	}
	for e, s := range x {
		terms += math.Abs(float64(s) * float64(m.Predictor.EntityNorms[e]))
	}
	within := 6e-6*math.Sqrt(size) + 2e-6*terms
	if m.Predictor.EntityTable.Codes() != nil {
		left := slices.Clone(x)
		for _, e := range order(widened(x))[:min(len(x), rereadState*3/4)] {
			if x[e] > 0x1p-39*slices.Max(x) { // smaller ones are not chosen
				left[e] = 0
			}
		}
		within = 50*within + math.Sqrt(float64(len(got)))*sumSlack(m, left)
	}
	if !(math.Sqrt(distance) <= within) {
		t.Errorf("%s: the sum is off by %v, its length is %v, that of all terms %v", what, math.Sqrt(distance), math.Sqrt(size), terms)
	}
}

// distribution draws a vector that adds up to 1, with exponents from 0 down to
// −spread.
func distribution(rng *rand.Rand, n int, spread float64) Vector {
	x, sum := make([]float64, n), 0.0
	for e := range x {
		x[e] = math.Exp(-spread * rng.Float64())
		sum += x[e]
	}
	v := make(Vector, n)
	for e := range x {
		v[e] = float32(x[e] / sum)
	}
	return v
}

// scaled returns by·x, each entry off by a rounding or two.
func scaled(rng *rand.Rand, x Vector, by float64) Vector {
	y := make(Vector, len(x))
	for e, v := range x {
		y[e] = float32(by * float64(v) * (1 + 2e-7*(rng.Float64()-0.5)))
	}
	return y
}

// TestCorrect corrects estimates of every quality: the sum is right in any case. By default it takes a
// fourth of the cases of many entities.
func TestCorrect(t *testing.T) {
	for _, table := range []table.Type{table.Float32, "int8 float32"} {
		for _, n := range []int{1, 2, 3, 7, 300, 5000} {
			for _, spread := range []float64{0, 5, 40, 80} {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(spread)))
				m := modeltest.Random(t, rng, n, 3, table)
				for i, c := range correctCases(rng, n, spread) {
					if n > 7 && i%long.Or(1, 4) != 0 {
						continue
					}
					what := fmt.Sprintf("%s, %s, %d entities, spread %v", c.name, table, n, spread)
					checkCorrected(t, what, m, estimated(t, m, c.x, c.g, c.h), c.x)
				}
			}
		}
	}
}

// correctCase is a state and estimates of it; h may be nil.
type correctCase struct {
	name    string
	x, g, h Vector
}

func correctCases(rng *rand.Rand, n int, spread float64) []correctCase {
	zero := make(Vector, n)
	g, h, other := distribution(rng, n, spread), distribution(rng, n, spread/4), distribution(rng, n, spread)
	var cases []correctCase
	add := func(name string, x, g Vector) {
		cases = append(cases, correctCase{name, x, g, nil}, correctCase{name + " and another", x, g, h},
			correctCase{name + " and zero", x, g, zero}, correctCase{name + " behind zero", x, zero, g},
			correctCase{name + " twice", x, g, g})
	}
	add("the estimate", g, g)
	add("unrelated", other, g)
	add("zero state", zero, g)
	add("zero estimate", other, zero)
	add("zero both", zero, zero)
	for _, by := range []float64{1e-6, 0.3, 1} {
		add(fmt.Sprint("scaled by ", by), scaled(rng, g, by), g)
		for _, most := range []int{1, 3, n / 10, n} {
			x := scaled(rng, g, by)
			for range most {
				x[rng.IntN(n)] = rng.Float32() / float32(most+1)
			}
			add(fmt.Sprintf("scaled by %v but for %d", by, most), x, g)
		}
	}
	mixed := make(Vector, n)
	for e := range mixed {
		mixed[e] = float32(0.7*float64(g[e]) + 0.2*float64(h[e]))
	}
	cases = append(cases, correctCase{"a mixture", mixed, g, h})
	mixed = append(Vector(nil), mixed...)
	mixed[rng.IntN(n)] += 0.1
	cases = append(cases, correctCase{"a mixture but for one", mixed, g, h})
	// Most of the state is cut to zero: only the observed edges are left, which the estimate hardly
	// knows.
	cut := make(Vector, n)
	for e := 0; e < n; e += 1 + n/20 {
		cut[e] = 1 / float32(1+n/(1+n/20))
	}
	add("cut", cut, g)
	add("peaked", peaked(n), g)
	return cases
}

// peaked is 1 at one entity.
func peaked(n int) Vector {
	x := make(Vector, n)
	x[n/2] = 1
	return x
}

// TestCorrectCancels has estimates that explain what samples there are, with a
// factor so large that all digits of the state would be lost.
func TestCorrectCancels(t *testing.T) {
	for _, n := range []int{2, 4, 64, 640} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		m := modeltest.Random(t, rng, n, 2, table.Float32)
		for _, small := range []float32{1e-4, 1e-7, 1e-13, 1e-25} {
			x, g := make(Vector, n), make(Vector, n)
			x[0], g[0] = 0.5, small // sampled
			x[n-1], g[n-1] = 0.5, 1 // sampled if n is small
			checkCorrected(t, fmt.Sprintf("%d entities, %v", n, small), m, estimated(t, m, x, g, nil), x)
			h := make(Vector, n)
			h[0], h[n-1] = 2*small, 1
			checkCorrected(t, fmt.Sprintf("%d entities, %v, two estimates", n, small), m, estimated(t, m, x, g, h), x)
		}
	}
}

// TestCorrectZeroRow has a state whose largest entry belongs to an entity whose
// embedding is zero: the direction of the sum comes from entries that are too
// small to matter elsewhere.
func TestCorrectZeroRow(t *testing.T) {
	for _, n := range []int{2, 5, 50} {
		rng := rand.New(rand.NewPCG(uint64(n), 4))
		values := modeltest.Normals(rng, n*4)
		clear(values[:4])
		m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Rank: 2, Rows: values, RelationRows: modeltest.Normals(rng, 8)})
		for _, small := range []float32{1e-3, 1e-8, 1e-11, 1e-14} {
			x := make(Vector, n)
			for e := range x {
				x[e] = small * rng.Float32()
			}
			x[0] = 1
			for _, g := range []Vector{distribution(rng, n, 20), peaked(n), x} {
				what := fmt.Sprintf("%d entities, %v", n, small)
				checkCorrected(t, what, m, estimated(t, m, x, g, nil), x)
				checkCorrected(t, what+", two estimates", m, estimated(t, m, x, g, distribution(rng, n, 5)), x)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
