package ref

import "math"

// SmallestExponent is the least argument whose exponential is a normal float32.
const SmallestExponent = -87.33654

// ExpSum computes dst[i] = exp(x[i]−shift), the difference taken in float32, and
// returns Σ_i dst[i]. Differences below −87.33654, whose exponentials would be
// denormal, give 0; those above 88.72283 give +Inf and NaN gives NaN. The shift may
// be any number.
func ExpSum(dst, x []float32, shift float32) float32 {
	sum := 0.0
	for i := range dst {
		t := x[i] - shift
		if t < SmallestExponent {
			dst[i] = 0
			continue
		}
		dst[i] = float32(math.Exp(float64(t)))
		sum += float64(dst[i])
	}
	return float32(sum)
}

// ExpMax computes dst[i] = exp(x[i]−m), as ExpSum does, where m is the larger of top and
// max_i x[i], and returns m: a step of an online softmax. NaN is never larger; top is
// not NaN.
func ExpMax(dst, x []float32, top float32) float32 {
	top = max(top, Max(x[:len(dst)]))
	ExpSum(dst, x, top)
	return top
}
