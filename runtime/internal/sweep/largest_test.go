package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLargest compares the rows picked with the first rows of a sort.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var s Selection
	for _, k := range []int{1, 5, 64, 300} {
		for name, draw := range map[string]func() float64{
			"uniform":  rng.Float64,
			"softmax":  func() float64 { return math.Exp(10 * rng.NormFloat64()) },
			"equal":    func() float64 { return 1 },
			"sparse":   func() float64 { return max(0, rng.Float64()-0.95) },
			"negative": func() float64 { return rng.NormFloat64() },
			"none":     func() float64 { return -rng.Float64() },
			"tiny":     func() float64 { return rng.Float64() * 1e-30 },
		} {
			x := make([]float32, 1000)
			for e := range x {
				x[e] = float32(draw())
			}
			got := s.Largest(x, k, 2*k)
			sorted := slices.Sorted(slices.Values(x))
			slices.Reverse(sorted)
			least := max(sorted[min(k, len(x))-1]*1.01, sorted[0]*0x1p-31) // all above are picked
			if len(got) > 2*k || !slices.IsSorted(got) {
				t.Errorf("%s: %d rows of %d", name, len(got), k)
			}
			picked := map[int32]bool{}
			for _, e := range got {
				picked[e] = true
				if x[e] <= 0 || float64(x[e]) < 0.94*float64(sorted[k-1]) {
					t.Errorf("%s: picked %v, the %d-th is %v", name, x[e], k, sorted[k-1])
				}
			}
			for e, v := range x {
				if v > least && v > 0 && !picked[int32(e)] {
					t.Errorf("%s: %v is not among %d, the %d-th is %v", name, v, len(got), k, sorted[k-1])
				}
			}
		}
	}
}
