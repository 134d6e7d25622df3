package table

import (
	"math"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
)

// TestLowBytes checks that codes with low bytes are off by half of a 256th of the scale at most,
// by all of it where the low byte is at the end of its range, and that padding stays 0.
func TestLowBytes(t *testing.T) {
	const n, width, columns = 300, 70, 128
	table, stored := randomTable(t, n, width, [2]Type{Int8, Float32})
	low, buf := make([]int8, n*columns), make([]float32, width)
	for e := range n {
		table.lowBytes(low[e*columns:], graph.EntityID(e), buf)
		scale := float64(table.Codes().Scales[e])
		for l := range columns {
			i := e*columns + l
			if l >= width {
				if low[i] != 0 {
					t.Fatalf("row %d has %d in column %d", e, low[i], l)
				}
				continue
			}
			off := math.Abs(float64(stored[e*width+l])/scale - float64(table.Codes().Codes[i]) - float64(low[i])/256)
			if most := 0.503 / 256; off > most && (low[i] != 127 || off > 2*most) {
				t.Fatalf("row %d column %d is off by %v of the scale, low byte %d", e, l, off, low[i])
			}
		}
	}
}
