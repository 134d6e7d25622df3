package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestScoreTerms asks for the terms of scores of growing size, and compares scores of
// the size up to which there are two terms with sums in float64: in the root mean square
// they are off by no more than scoreError.
func TestScoreTerms(t *testing.T) {
	const n, rank, queries = 600, 64, 40
	rng := rand.New(rand.NewPCG(1, 9))
	normals := func(count int) []float32 {
		x := make([]float32, count)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * math.Exp(rng.NormFloat64()))
		}
		return x
	}
	table, err := Make(normals(n*2*rank), 2*rank, Float32, "")
	require.NoError(t, err)
	squares := table.derived.squares.of(&table)
	all := normals(queries * 2 * rank)
	for i := range queries {
		q := all[i*2*rank : (i+1)*2*rank]
		size := 0.0
		for l, v := range q {
			size += float64(v) * float64(v) * squares[l]
		}
		by := float32(scoreError / termError / math.Sqrt(size))
		for l := range q {
			q[l] *= by * (1 - 1e-5)
		}
	}
	if got := table.ScoreTerms(all); got != product.Two {
		t.Errorf("scores at the bound have %d terms", got)
	}
	var a product.Left
	var b product.Right
	a.Pack(table.Matrix(0, n, nil), product.Two)
	b.Pack(product.Of(all, queries, 2*rank, 2*rank).T(), product.Two)
	scores := make([]float32, n*queries)
	product.Mul(scores, queries, &a, &b)
	sum := 0.0
	for e := range n {
		row := table.Row(graph.EntityID(e), nil)
		for i := range queries {
			want := 0.0
			for l, v := range row {
				want += float64(v) * float64(all[i*2*rank+l])
			}
			d := float64(scores[e*queries+i]) - want
			sum += d * d
		}
	}
	if got := math.Sqrt(sum / (n * queries)); !(got <= scoreError) {
		t.Errorf("scores are off by %g, want %g at most", got, scoreError)
	}
	for _, by := range []float32{1.001, float32(math.Inf(1)), float32(math.NaN())} {
		last := append([]float32(nil), all...)
		for l := range 2 * rank {
			last[(queries-1)*2*rank+l] *= by
		}
		if got := table.ScoreTerms(last); got != product.Three {
			t.Errorf("scores that are %v times as large have %d terms", by, got)
		}
	}
	if got := table.ScoreTerms(make([]float32, 2*rank)); got != product.Two {
		t.Errorf("scores of 0 have %d terms", got)
	}
}
