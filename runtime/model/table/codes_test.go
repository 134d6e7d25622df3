package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestCodes checks that codes leave the rows beside them as they are.
func TestCodes(t *testing.T) {
	const n, width = 40, 70
	table, stored := randomTable(t, n, width, [2]Type{Int8, Float32})
	if table.Type() != Float32 || table.Codes() == nil || table.Bytes() != n*(128+4) || table.RowBytes() != n*width*4 {
		t.Errorf("table of %s with %d bytes and %d", table.Type(), table.Bytes(), table.RowBytes())
	}
	for e := range n {
		for j, x := range stored[e*width : (e+1)*width] {
			if got := table.Row(graph.EntityID(e), nil)[j]; got != x {
				t.Fatalf("row %d column %d is %v, want %v", e, j, got, x)
			}
		}
	}
}

// TestCodesAlone checks rows of codes alone: no number is off by more than half a step.
func TestCodesAlone(t *testing.T) {
	for _, width := range []int{6, 128} {
		values := randoms(rand.New(rand.NewPCG(1, 2)), 30*width)
		table, err := Make(values, width, Int8, "")
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
