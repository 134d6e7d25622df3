package kernels

import "github.com/efoc/efoc/kernels/simd"

// block is the number of entries per block in loops that read them several times: a block stays in the
// first-level cache.
const block = 2048

// SumCut returns Σ x·1(x ≥ ε), which is finite; ε is a normal float32. NaN counts as 0.
func SumCut(x []float32, eps float32) float64 {
	sum := 0.0
	for lo := 0; lo < len(x); lo += block {
		sum += float64(simd.SumAbove(x[lo:min(lo+block, len(x))], eps))
	}
	return sum
}

// Message computes dst = N(2(1−w)·softmax(scores) + 2w·links). Scores are as in Softmax; dst may be scores, but not links.
func Message(dst, scores, links []float32, w, epsilon float64) {
	share := 1 / simd.ExpSum(dst, scores, simd.Max(scores))
	eps := float32(epsilon)
	sum := 0.0
	for lo := 0; lo < len(dst); lo += block {
		hi := min(lo+block, len(dst))
		part := dst[lo:hi]
		simd.Scale(part, part, share)
		Blend(part, part, links[lo:hi], w)
		sum += float64(simd.SumAbove(part, eps))
	}
	simd.ScaleAbove(dst, dst, eps, 1/max(float32(sum), eps))
}

// Complement computes dst[e] = c − x[e].
func Complement(dst, x []float32, c float64) {
	simd.Scale(dst, x, -1)
	simd.AddConst(dst, dst, float32(c))
}

// Blend computes dst = 2(1−w)·x + 2w·y, exactly x + y where w is ½. dst may be x
// or y.
func Blend(dst, x, y []float32, w float64) {
	if w == 0.5 {
		simd.Add(dst, x, y)
	} else {
		weigh(dst, x, y, float32(2*(1-w)), float32(2*w))
	}
}

// weigh computes dst = a·x + b·y. dst may be x or y.
func weigh(dst, x, y []float32, a, b float32) {
	if len(dst) > 0 && &dst[0] == &y[0] {
		x, y, a, b = y, x, b, a
	}
	simd.Scale(dst, x, a)
	simd.ScaleAdd(dst, dst, b, y)
}

// Mul computes dst = x ∘ y, the product element by element.
func Mul(dst, x, y []float32) { simd.Mul(dst, x, y) }

// Max computes dst = max(x, y), element by element.
func Max(dst, x, y []float32) { simd.MaxOf(dst, x, y) }

// Mix computes dst = w·x + (1−w)·y.
func Mix(dst, x, y []float32, w float64) { weigh(dst, x, y, float32(w), 1-float32(w)) }

// ScaleMax computes dst = x / max(x). A vector whose largest entry is not
// positive becomes zero.
func ScaleMax(dst, x []float32) { Divide(dst, x, simd.Max(x)) }

// Divide computes dst = x / by, or zeros if by is not positive.
func Divide(dst, x []float32, by float32) {
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
