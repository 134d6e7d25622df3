package fit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/testdata/seed"
)

// TestMixLogs checks that the logarithms rank as the mixture does.
func TestMixLogs(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		degree := rapid.SampledFrom([]float32{0, 1e-9, 0.0002, 0.3, 1})
		n := rapid.IntRange(2, 20).Draw(t, "n")
		x, y := rapid.SliceOfN(degree, n, n).Draw(t, "x"), rapid.SliceOfN(degree, n, n).Draw(t, "y")
		g := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "g")
		degrees, probabilities, logs := slices.Clone(x), slices.Clone(y), make([]float32, n)
		LogDegrees(degrees)
		LogProbabilities(probabilities)
		MixLogs(logs, probabilities, degrees, g)
		new(mixer).mix(x, y, x, g, pool.New(1)) // degrees are overwritten by the mixture
		for i := 1; i < n; i++ {
			if logs[i] > logs[0]+1e-4 && x[i] <= x[0] || logs[i] < logs[0]-1e-4 && x[i] >= x[0] {
				t.Fatalf("entities 0 and %d have %v and %v, mixed %v and %v", i, logs[0], logs[i], x[0], x[i])
			}
		}
	})
}
