package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// TestCodeError checks that the stated error is how far codes are from the rows beside them.
func TestCodeError(t *testing.T) {
	const n, width = 40, 70
	rng := rand.New(rand.NewPCG(7, 8))
	values := make([]float32, n*width)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	table, err := table.Make(values, width, table.Int8, table.Float32)
	require.NoError(t, err)
	p := Predictor{Rank: width / 2, EntityTable: table, EntityNorms: table.Norms()}
	got, want := p.CodeError(), CodeError{}
	row := make([]float32, 128)
	for e := range n {
		table.Codes().Row(row, e)
		away, norm := 0.0, 0.0
		for j, x := range values[e*width : (e+1)*width] {
			away += math.Pow(float64(x)-float64(row[j]), 2)
			norm += float64(x) * float64(x)
		}
		want.Largest, want.Mean = max(want.Largest, math.Sqrt(away/norm)), want.Mean+math.Sqrt(away/norm)/n
	}
	if math.Abs(got.Largest-want.Largest) > 1e-5 || math.Abs(got.Mean-want.Mean) > 1e-5 {
		t.Errorf("error is %+v, want %+v", got, want)
	}
}
