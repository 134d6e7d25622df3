package simd

import (
	"math"
	"testing"

	"github.com/efoc/efoc/kernels/internal/ref"
)

// expError bounds the error of ExpSum's exponentials, relative to the exact
// value at the rounded difference: one unit in the last place of 1.
const expError = 0x1p-23

// shifts are references for scores: on both sides of the bounds of the exponential, so that an unused lane
// would be infinite, 1 or 0.
var shifts = func() (list []float32) {
	for _, v := range edges {
		list = append(list, v, -v)
	}
	return list
}()

// exponential is the exponential of a difference as specified by package ref.
func exponential(x float32) float32 {
	if x < ref.SmallestExponent {
		return 0
	}
	return float32(math.Exp(float64(x)))
}

// sweepExp compares ExpSum with package math, in place and not, over all lengths: for extreme shifts, with
// scores near the shift and with numbers of every regime. Then it tests the accuracy over all magnitudes.
func sweepExp(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 300, 512) {
		for _, shift := range shifts {
			for r := range regimes {
				x := m.numbers(n, n%4, r)
				if r == ordinary {
					for i := range x {
						x[i] = shift - max(x[i], -x[i]) // as a softmax has them
					}
				}
				dst, same := m.result(n, n%3, -1), m.result(n, n%5, 0)
				copy(same, x)
				sum, sumSame, want := ExpSum(dst, x, shift), ExpSum(same, same, shift), 0.0
				for i, got := range dst {
					e := exponential(x[i] - shift)
					if !expNear(got, e) || !sameNumber(same[i], got) {
						t.Fatalf("exp(%v − %v) is %v at %d of %d, in place %v, want %v", x[i], shift, got, i, n, same[i], e)
					}
					want += float64(e)
				}
				if !expNear(sum, float32(want)) || !sameNumber(sum, sumSame) {
					t.Fatalf("sum of %d exponentials of %s numbers, shift %v, is %v, in place %v, want %v", n, r, shift, sum, sumSame, want)
				}
				m.next("%d exponentials with shift %v", n, shift)
			}
		}
	}
	expAccuracy(t)
}

// expNear compares exponentials and their sums with the expected ones. At the ends of the range, rounding decides between
// the last float32 and 0 or infinity.
func expNear(got, want float32) bool {
	return sameNumber(got, want) || math.Abs(float64(got)-float64(want)) <= (expError+tolerance)*float64(want)
}

// expAccuracy samples the range of every float32 exponent in odd steps.
func expAccuracy(t *testing.T) {
	const chunk = 1 << 12
	step := uint32(997)
	if testing.Short() {
		step = 99991
	}
	var x, y [chunk]float32
	worst, at := 0.0, float32(0)
	for _, sign := range []uint32{0, 1 << 31} {
		for bits := uint32(0); bits < 0x7f800000; {
			for i := range x {
				x[i] = math.Float32frombits(sign | min(bits, 0x7f7fffff))
				bits += step
			}
			ExpSum(y[:], x[:], 0)
			for i, got := range y {
				want := math.Exp(float64(x[i]))
				switch {
				case x[i] < ref.SmallestExponent:
					if got != 0 {
						t.Fatalf("exp(%v) = %v, want 0", x[i], got)
					}
					continue
				case float32(want) > math.MaxFloat32:
					if !math.IsInf(float64(got), 1) {
						t.Fatalf("exp(%v) = %v, want +Inf", x[i], got)
					}
					continue
				}
				if e := math.Abs(float64(got)-want) / want; !(e <= worst) {
					worst, at = e, x[i]
				}
			}
		}
	}
	t.Logf("largest error of exp: %.3f·2^-23, at %v", worst*0x1p23, at)
	if !(worst <= expError) {
		t.Errorf("exceeds the bound of %.3f·2^-23", expError*0x1p23)
	}
}
