package kernels

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// Softmax computes dst[e] = exp(x[e]) / Σ exp(x), exponents taken relative to
// the largest entry. Entries may be of any size, and −Inf, but not NaN; the largest
// is finite.
func Softmax(dst, x []float32) {
	sum := simd.ExpSum(dst, x, simd.Max(x))
	simd.Scale(dst, dst, 1/sum)
}

// Normalize computes dst = N(x) = x·1(x ≥ ε) / max(ε, Σ x·1(x ≥ ε)). The sum is
// finite, and ε a normal float32. NaN counts as 0.
func Normalize(dst, x []float32, epsilon float64) {
	eps := float32(epsilon)
	simd.ScaleAbove(dst, x, eps, 1/max(simd.SumAbove(x, eps), eps))
}

// Complement computes dst[e] = c − x[e].
func Complement(dst, x []float32, c float64) {
	simd.Scale(dst, x, -1)
	simd.AddConst(dst, dst, float32(c))
}

// Add computes dst = x + y.
func Add(dst, x, y []float32) { simd.Add(dst, x, y) }

// Blend computes dst = 2(1−w)·x + 2w·y, exactly x + y where w is ½. dst may be x
// or y.
func Blend(dst, x, y []float32, w float64) {
	switch {
	case w == 0.5:
		simd.Add(dst, x, y)
	case len(dst) > 0 && &dst[0] == &y[0]:
		simd.Scale(dst, y, float32(2*w))
		simd.ScaleAdd(dst, dst, float32(2*(1-w)), x)
	default:
		simd.Scale(dst, x, float32(2*(1-w)))
		simd.ScaleAdd(dst, dst, float32(2*w), y)
	}
}

// Mul computes dst = x ∘ y, the product element by element.
func Mul(dst, x, y []float32) { simd.Mul(dst, x, y) }

// Max computes dst = max(x, y), element by element.
func Max(dst, x, y []float32) { simd.MaxOf(dst, x, y) }

// Mix computes dst = w·x + (1−w)·y.
func Mix(dst, x, y []float32, w float64) { simd.Lerp(dst, x, y, float32(w)) }

// ScaleMax computes dst = x / max(x). A vector whose largest entry is not
// positive becomes zero.
func ScaleMax(dst, x []float32) { divide(dst, x, simd.Max(x)) }

// ScaleSum computes dst = x / Σ x. A vector whose sum is not positive becomes
// zero.
func ScaleSum(dst, x []float32) { divide(dst, x, simd.SumAbove(x, float32(math.Inf(-1)))) }

func divide(dst, x []float32, by float32) {
	switch {
	case !(by > 0):
		clear(dst)
	case by < 1e-37: // its inverse overflows
		for e, v := range x {
			dst[e] = v / by
		}
	default:
		simd.Scale(dst, x, 1/by)
	}
}
