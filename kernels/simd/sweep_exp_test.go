package simd

import (
	"math"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// expError bounds the error of ExpSum's exponentials, relative to the exact
// value at the rounded difference: one unit in the last place of 1.
const expError = 0x1p-23

// sweepExp tests lengths, in place and not, then accuracy over all magnitudes
// and the special cases.
func sweepExp(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		x := m.normal(n, n%4)
		dst, same := m.result(n, n%3, -1), m.result(n, n%5, 0)
		copy(same, x)
		shift := float32(m.rng.NormFloat64())
		sum, sumSame := ExpSum(dst, x, shift), ExpSum(same, same, shift)
		want := 0.0
		for i, got := range dst {
			e := math.Exp(float64(x[i] - shift))
			if !(math.Abs(float64(got)-e) <= expError*e) {
				t.Fatalf("exp(%v) is %v, want %v", x[i]-shift, got, e)
			}
			if same[i] != got {
				t.Fatalf("in place exp(%v) is %v, not %v", x[i]-shift, same[i], got)
			}
			want += float64(got)
		}
		if !(math.Abs(float64(sum)-want) <= tolerance*want) || sum != sumSame {
			t.Fatalf("sum of %d is %v, in place %v, want %v", n, sum, sumSame, want)
		}
		m.next("%d exponentials", n)
	}
	expExtreme(t)
	expAccuracy(t)
	expSpecial(t)
}

// shifts are what scores may be taken relative to: on both sides of the bounds of
// the exponential, so that a lane that holds nothing would be infinite, 1 or 0.
var shifts = func() (list []float32) {
	for _, v := range edges {
		list = append(list, v, -v)
	}
	return list
}()

// expExtreme compares ExpSum with package ref for extreme shifts over all lengths,
// with scores near the shift and with numbers of every regime.
func expExtreme(t *testing.T) {
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
				dst, want := m.result(n, n%3, -1), make([]float32, n)
				sum, wantSum := ExpSum(dst, x, shift), ref.ExpSum(want, x, shift)
				for i, e := range want {
					if !expNear(dst[i], e) {
						t.Fatalf("exp(%v − %v) is %v at %d of %d, want %v", x[i], shift, dst[i], i, n, e)
					}
				}
				if !expNear(sum, wantSum) {
					t.Fatalf("sum of %d exponentials of %s numbers, shift %v, is %v, want %v", n, r, shift, sum, wantSum)
				}
				m.next("%d exponentials with shift %v", n, shift)
			}
		}
	}
}

// expNear compares exponentials and sums of them with those of package ref. At the
// ends of the range, rounding decides between the last float32 and nothing or
// infinity.
func expNear(got, want float32) bool {
	return sameNumber(got, want) || math.Abs(float64(got)-float64(want)) <= (expError+tolerance)*float64(want)
}

// expAccuracy walks over every exponent's range of float32 in odd steps.
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

func expSpecial(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	cases := []struct{ x, shift, want float32 }{
		{-inf, 0, 0}, {-inf, 1e30, 0}, {inf, 0, inf}, {0, inf, 0}, {-1e30, 0, 0}, {-3e38, 3e38, 0}, {3e38, 0, inf}, {3e38, -3e38, inf},
		{0, 0, 1}, {7.5, 7.5, 1}, {nan, 0, nan}, {0, nan, nan}, {inf, inf, nan}, {-inf, -inf, nan},
		{-87.33654022216797, 0, 1.1754997e-38}, {-87.3365478515625, 0, 0}, {-88, 0, 0}, {-103, 0, 0},
		{88.72283172607422, 0, float32(math.Exp(88.72283172607422))}, {88.72283935546875, 0, inf}, {89, 0, inf}, {1000, 0, inf},
	}
	for _, c := range cases {
		for n := 1; n <= 65; n += 16 { // whole registers and tails
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = c.x
			}
			sum := ExpSum(y, x, c.shift)
			for i, got := range y {
				near := math.Abs(float64(got)-float64(c.want)) <= 2*expError*float64(c.want)
				if got != c.want && !near && !(got != got && c.want != c.want) {
					t.Errorf("exp(%v − %v) = %v at %d of %d, want %v", c.x, c.shift, got, i, n, c.want)
				}
			}
			want := c.want * float32(n)
			if sum != want && !(math.Abs(float64(sum-want)) <= 1e-6*float64(want)) && !(sum != sum && want != want) {
				t.Errorf("sum of %d exp(%v − %v) = %v, want %v", n, c.x, c.shift, sum, want)
			}
		}
	}
}
