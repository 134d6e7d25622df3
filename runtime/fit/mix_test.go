package fit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMix compares the mixture with its formula.
func TestMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.SampledFrom([]float32{0, 1e-9, 0.0002, 0.3, 1})
		n := rapid.IntRange(1, 20).Draw(t, "n")
		x, y := rapid.SliceOfN(degree, n, n).Draw(t, "x"), rapid.SliceOfN(degree, n, n).Draw(t, "y")
		g := rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75, 1}).Draw(t, "g")
		want, sum := make([]float64, n), 0.0
		for i := range want {
			want[i] = math.Pow(float64(x[i])+1e-12, 1-g)*math.Pow(float64(y[i])+1e-6, g) - math.Pow(1e-12, 1-g)*math.Pow(1e-6, g)
			sum += want[i]
		}
		dst := [][]float32{x, y, make([]float32, n)}[rapid.IntRange(0, 2).Draw(t, "into")]
		mix(dst, x, y, g, nil)
		sum = max(sum, math.SmallestNonzeroFloat64)
		for i := range want {
			if got := float64(dst[i]); math.Abs(got-want[i]/sum) > 1e-6*want[i]/sum {
				t.Fatalf("entity %d: %v, want %v", i, got, want[i]/sum)
			}
		}
	})
}
