package fit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMixLogs checks that the logarithms are those of the mixture, up to a summand.
func TestMixLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.SampledFrom([]float32{0, 1e-9, 0.0002, 0.3, 1})
		n := rapid.IntRange(2, 20).Draw(t, "n")
		x, y := rapid.SliceOfN(degree, n, n).Draw(t, "x"), rapid.SliceOfN(degree, n, n).Draw(t, "y")
		g := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "g")
		degrees, probabilities, logs := slices.Clone(x), slices.Clone(y), make([]float32, n)
		LogDegrees(degrees)
		LogProbabilities(probabilities)
		MixLogs(logs, probabilities, degrees, g)
		mix(x, y, x, g) // degrees are overwritten by the mixture
		for i := 1; i < n; i++ {
			if x[i] == 0 || x[0] == 0 {
				continue // ruled out by both, which MixLogs ranks last
			}
			got, want := float64(logs[i]-logs[0]), math.Log(float64(x[i])/float64(x[0]))
			if math.Abs(got-want) > 1e-4 {
				t.Fatalf("entity %d is e^%v times entity 0, want e^%v", i, got, want)
			}
		}
	})
}
