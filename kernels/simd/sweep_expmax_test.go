package simd

import (
	"math"
	"slices"
	"testing"
)

// sweepExpMax tests the exponential relative to a running maximum with plain loops, over
// lengths, tops below and above the entries and none, in place and not, and with
// entries that are −∞ or NaN.
func sweepExpMax(t *testing.T) {
	m := newMemory(t)
	none := float32(math.Inf(-1))
	for _, n := range append(counts, 512, 1001) {
		for _, top := range []float32{none, -1000, 0, 1.5, 1000} {
			x := m.numbers(n, n%4, scores)
			if n > 2 {
				x[n/2] = none
			}
			want := top
			for _, v := range x {
				want = max(want, v)
			}
			dst, same := m.result(n, n%3, -1), m.result(n, n%5, 0)
			copy(same, x)
			if got, again := ExpMax(dst, x, top), ExpMax(same, same, top); got != want || again != want {
				t.Fatalf("top of %d entries and %v is %v, in place %v, want %v", n, top, got, again, want)
			}
			for i, got := range dst {
				e := math.Exp(float64(x[i] - want))
				if x[i]-want < -87.33654 {
					e = 0
				}
				if !(math.Abs(float64(got)-e) <= expError*e) {
					t.Fatalf("exp(%v − %v) is %v at %d of %d, want %v", x[i], want, got, i, n, e)
				}
			}
			if !slices.Equal(dst, same) {
				t.Fatalf("in place %d exponentials are %v, not %v", n, same, dst)
			}
			m.next("%d exponentials and top %v", n, top)
		}
	}
	x := []float32{1, float32(math.NaN()), 3}
	dst := make([]float32, 3)
	if top := ExpMax(dst, x, 2); top != 3 || dst[1] == dst[1] || dst[2] != 1 {
		t.Errorf("ExpMax of %v and 2 is %v with top %v", x, dst, top)
	}
}
