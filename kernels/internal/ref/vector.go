package ref

import "math"

// Max returns max_i x[i], or −Inf if x is empty. NaN is never larger.
func Max(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// SumAbove returns Σ_i x[i]·1(x[i] ≥ eps), carried in float64.
func SumAbove(x []float32, eps float32) float32 {
	sum := 0.0
	for _, v := range x {
		if v >= eps {
			sum += float64(v)
		}
	}
	return float32(sum)
}

// IndexAbove writes the indices i < len(dst) where x[i] ≥ eps to dst, ascending, and returns how
// many there are. What is behind them in dst may change.
func IndexAbove(dst []int32, x []float32, eps float32) int {
	n := 0
	for i, v := range x[:len(dst)] {
		if v >= eps {
			dst[n] = int32(i)
			n++
		}
	}
	return n
}

// ScaleAbove computes dst[i] = x[i]·scale where x[i] ≥ eps, and 0 elsewhere.
func ScaleAbove(dst, x []float32, eps, scale float32) {
	for i := range dst {
		if v := x[i]; v >= eps {
			dst[i] = v * scale
		} else {
			dst[i] = 0
		}
	}
}

// ScaleClip computes dst[i] = min(x[i]·scale, most) where x[i]·scale ≥ least, and 0 elsewhere. It
// returns how many are not below least.
func ScaleClip(dst, x []float32, scale, least, most float32) int {
	n := 0
	for i := range dst {
		v := x[i] * scale
		if !(v >= least) {
			dst[i] = 0
			continue
		}
		n++
		dst[i] = most
		if v < most {
			dst[i] = v
		}
	}
	return n
}

// Add computes dst[i] = x[i] + y[i].
func Add(dst, x, y []float32) {
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// Mul computes dst[i] = x[i]·y[i].
func Mul(dst, x, y []float32) {
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// MaxOf computes dst[i] = x[i] if x[i] > y[i], and y[i] otherwise.
func MaxOf(dst, x, y []float32) {
	for i := range dst {
		if v := x[i]; v > y[i] {
			dst[i] = v
		} else {
			dst[i] = y[i]
		}
	}
}

// Scale computes dst[i] = x[i]·s.
func Scale(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] = x[i] * s
	}
}

// ScaleAdd computes dst[i] = x[i] + a·y[i], both steps rounded.
func ScaleAdd(dst, x []float32, a float32, y []float32) {
	for i := range dst {
		dst[i] = x[i] + float32(a*y[i])
	}
}

// AddConst computes dst[i] = x[i] + c.
func AddConst(dst, x []float32, c float32) {
	for i := range dst {
		dst[i] = x[i] + c
	}
}
