package moments_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// predictor returns a link predictor of n rows that lie about some centres, scaled by up to
// the given power of ten; a row in ten is 0 or a repetition.
func predictor(tb testing.TB, rng *rand.Rand, n, rank int, power float64, t table.Type) *model.Predictor {
	tb.Helper()
	width := 2 * rank
	values := make([]float32, n*width)
	centres := make([]float64, 5*width)
	for i := range centres {
		centres[i] = rng.NormFloat64()
	}
	for e := range n {
		c, scale := rng.IntN(5), math.Pow(10, power*(2*rng.Float64()-1))
		row := values[e*width : (e+1)*width]
		switch rng.IntN(20) {
		case 0: // zeros
		case 1:
			copy(row, values[:width])
		default:
			for j := range row {
				row[j] = float32(scale * (centres[c*width+j] + 0.8*rng.NormFloat64()))
			}
		}
	}
	table, err := table.Make(values, width, t, "")
	require.NoError(tb, err)
	p := &model.Predictor{Rank: rank, EntityTable: table, EntityNorms: make([]float32, n)}
	for e := range p.EntityNorms {
		p.EntityNorms[e] = float32(size(table.Row(graph.EntityID(e), nil)))
	}
	return p
}

func size(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// cosines returns the cosines of q with every entity, in float64.
func cosines(p *model.Predictor, q []float32) []float64 {
	c := make([]float64, p.EntityTable.Rows())
	for e := range c {
		row := p.EntityTable.Row(graph.EntityID(e), nil)
		if d := size(row) * size(q); d > 0 {
			for j, v := range row {
				c[e] += float64(v) * float64(q[j]) / d
			}
		}
	}
	return c
}

// TestBound checks that the sum of exponentials lies between its bounds, and that every
// cosine lies below its own, on random tables of any size and type.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	workers := pool.New(2)
	defer workers.Close()
	var s moments.Scratch
	var bounded [2]int // without coordinates, and with them
	for round := range 60 {
		n, rank := 1+rng.IntN(700), 1+rng.IntN(40)
		if round%20 == 0 { // several workers share the rows
			n, rank = n+9000, 3
		}
		table := []table.Type{table.Float32, table.Int8}[rng.IntN(2)]
		p := predictor(t, rng, n, rank, 9, table)
		m := moments.New(p, true, workers)
		if m == nil {
			continue // all rows are 0
		}
		for range 5 {
			q := make([]float32, 2*rank)
			for range 1 + rng.IntN(3) {
				row, w := p.EntityTable.Row(graph.EntityID(rng.IntN(n)), nil), float32(rng.NormFloat64())
				for j := range q {
					q[j] += w * row[j]
				}
			}
			for i, m := range [...]*moments.Moments{moments.New(p, false, workers), m} {
				u := make([]float32, n)
				b, ok := m.Bound(&s, u, q, workers)
				if !ok {
					continue
				}
				bounded[i]++
				sum := 0.0
				for e, c := range cosines(p, q) {
					sum += math.Exp(c)
					if most := b.Centre + float64(u[e]) + b.Rest + 1e-5; c > most {
						t.Fatalf("%d × %d: cosine %d is %g, the bound is %g", n, 2*rank, e, c, most)
					}
				}
				if !(b.Low <= sum && sum <= b.High) {
					t.Fatalf("%d × %d %s: the sum is %.9g, want it from %.9g to %.9g", n, 2*rank, table, sum, b.Low, b.High)
				}
			}
		}
	}
	if min(bounded[0], bounded[1]) < 200 {
		t.Errorf("%d vectors had bounds of the mean and %d of coordinates", bounded[0], bounded[1])
	}
}

// TestBoundNone checks that there are no bounds where cosines are 0 for want of precision.
func TestBoundNone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	workers := pool.New(1)
	defer workers.Close()
	p := predictor(t, rng, 100, 4, 1, table.Float32)
	m := moments.New(p, true, workers)
	var s moments.Scratch
	for _, x := range []float32{0, 1e-38, 1e38, float32(math.Inf(1)), float32(math.NaN())} {
		q := []float32{x, 0, 0, x, 0, 0, 0, x}
		if b, ok := m.Bound(&s, make([]float32, 100), q, nil); ok {
			t.Errorf("a vector of %g has the bounds %+v", x, b)
		}
	}
	zero := &model.Predictor{Rank: 1, EntityNorms: make([]float32, 3)}
	zero.EntityTable, _ = table.Make(make([]float32, 6), 2, table.Float32, "")
	if moments.New(zero, true, workers) != nil {
		t.Error("a table of zeros has moments")
	}
}
