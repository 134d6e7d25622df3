package importer

import (
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// TestRowTableRelease reads rows of a mapped file: what was read is given back each time
// that releaseEvery bytes have come into memory, of which a row somewhere brings some around
// it along, and one behind the last one does not.
func TestRowTableRelease(t *testing.T) {
	const width, n = 4096, 256 // 16 kB a row
	const all = 4 * width * n
	values := make([]float32, width*n)
	tensor := safetensors.FromFloat32s("x", values, n, width)
	to := make([]float32, width)
	for name, c := range map[string]struct {
		rows         []int32
		rounds, want int
	}{
		"one after the other": {nil, 3 * releaseEvery / all, 3},
		"here and there":      {[]int32{0, 100, 3, 200}, releaseEvery / (4 * (4*width + around)), 0},
		"and further":         {[]int32{0, 100, 3, 200}, releaseEvery/(4*(4*width+around)) + 1, 1},
	} {
		released := 0
		r, err := newRowTable(tensor, c.rows, func() { released++ })
		require.NoError(t, err)
		for range c.rounds {
			for i := range r.len() {
				require.NoError(t, r.row(to, i))
			}
		}
		if released != c.want {
			t.Errorf("%s: memory is given back %d times, want %d", name, released, c.want)
		}
	}
}
