package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestCodes checks that codes leave the rows beside them as they are, and that the
// stated error is how far the codes are from them.
func TestCodes(t *testing.T) {
	for _, dtype := range RowTypes {
		const n, width = 40, 70
		table, stored := randomTable(t, n, width, [2]TableType{Int8, dtype})
		if table.Type() != dtype || table.Codes() == nil || table.Bytes() != n*(128+4) || table.RowBytes() != n*width*dtype.Size() {
			t.Errorf("table of %s with %d bytes and %d", table.Type(), table.Bytes(), table.RowBytes())
		}
		p := Predictor{Rank: width / 2, EntityTable: table, EntityNorms: table.norms()}
		got, want := p.CodeError(), CodeError{}
		row := make([]float32, 128)
		for e := range n {
			table.Codes().Row(row, e)
			away, norm := 0.0, 0.0
			for j, x := range stored[e*width : (e+1)*width] {
				if got := table.Row(graph.EntityID(e), nil)[j]; got != x {
					t.Fatalf("%s: row %d column %d is %v, want %v", dtype, e, j, got, x)
				}
				away += math.Pow(float64(x)-float64(row[j]), 2)
				norm += float64(x) * float64(x)
			}
			want.Largest, want.Mean = max(want.Largest, math.Sqrt(away/norm)), want.Mean+math.Sqrt(away/norm)/n
		}
		if math.Abs(got.Largest-want.Largest) > 1e-5 || math.Abs(got.Mean-want.Mean) > 1e-5 {
			t.Errorf("codes beside %s: error is %+v, want %+v", dtype, got, want)
		}
	}
}

// TestCodesAlone checks rows of codes alone: no number is off by more than half a step.
func TestCodesAlone(t *testing.T) {
	for _, width := range []int{6, 128} {
		values := randoms(rand.New(rand.NewPCG(1, 2)), 30*width)
		table, err := MakeTable(values, width, Int8, "")
		require.NoError(t, err)
		got := table.Float32s()
		for e := range 30 {
			largest, worst := 0.0, 0.0
			for j, v := range values[e*width : (e+1)*width] {
				largest, worst = max(largest, math.Abs(float64(v))), max(worst, math.Abs(float64(got[e*width+j])-float64(v)))
			}
			if worst > 0.501*largest/127 {
				t.Errorf("row %d of %d has a number %v away, the largest is %v", e, width, worst, largest)
			}
		}
	}
}
