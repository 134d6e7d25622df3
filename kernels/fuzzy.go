package kernels

import "math"

// Softmax computes dst[e] = exp(x[e]) / Σ exp(x), exponents taken relative to
// the largest entry.
func Softmax(dst, x []float32) {
	top := float32(math.Inf(-1))
	for _, v := range x {
		top = max(top, v)
	}
	sum := 0.0
	for e, v := range x {
		p := math.Exp(float64(v) - float64(top))
		dst[e] = float32(p)
		sum += p
	}
	for e := range dst {
		dst[e] = float32(float64(dst[e]) / sum)
	}
}

// Normalize computes dst = N(x) = x·1(x ≥ ε) / max(ε, Σ x·1(x ≥ ε)).
func Normalize(dst, x []float32, epsilon float64) {
	sum := 0.0
	for _, v := range x {
		if w := float64(v); w >= epsilon {
			sum += w
		}
	}
	sum = max(sum, epsilon)
	for e, v := range x {
		if w := float64(v); w >= epsilon {
			dst[e] = float32(w / sum)
		} else {
			dst[e] = 0
		}
	}
}

// Complement computes dst[e] = c − x[e].
func Complement(dst, x []float32, c float64) {
	for e, v := range x {
		dst[e] = float32(c - float64(v))
	}
}

// Add computes dst = x + y.
func Add(dst, x, y []float32) {
	for e, v := range x {
		dst[e] = v + y[e]
	}
}

// Mul computes dst = x ∘ y, the product element by element.
func Mul(dst, x, y []float32) {
	for e, v := range x {
		dst[e] = v * y[e]
	}
}

// Max computes dst = max(x, y), element by element.
func Max(dst, x, y []float32) {
	for e, v := range x {
		dst[e] = max(v, y[e])
	}
}

// Mix computes dst = w·x + (1−w)·y.
func Mix(dst, x, y []float32, w float64) {
	for e, v := range x {
		dst[e] = float32(w*float64(v) + (1-w)*float64(y[e]))
	}
}

// ScaleMax computes dst = x / max(x). A vector whose largest entry is not
// positive becomes zero.
func ScaleMax(dst, x []float32) {
	var top float32
	for _, v := range x {
		top = max(top, v)
	}
	scale(dst, x, float64(top))
}

// ScaleSum computes dst = x / Σ x. A vector whose sum is not positive becomes
// zero.
func ScaleSum(dst, x []float32) {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	scale(dst, x, sum)
}

func scale(dst, x []float32, by float64) {
	if !(by > 0) {
		clear(dst)
		return
	}
	for e, v := range x {
		dst[e] = float32(float64(v) / by)
	}
}
