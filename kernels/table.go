package kernels

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// WeightedSum computes dst = Σ_e w[e]·E_e. The table is len(w) × len(dst),
// row-major. Blocks of rows whose weights are all zero are not read.
//
// Rows are summed in blocks: float32 then loses no more than the square root of
// what one running sum over all rows would. scratch is as long as dst.
func WeightedSum(dst, table, w, scratch []float32) {
	width := len(dst)
	weightedSum(dst, w, scratch, func(acc []float32, lo, hi int) {
		simd.AxpyRows(acc, table[lo*width:hi*width], w[lo:hi])
	})
}

// weightedSum sums blocks of rows, which add adds to acc: rows lo to hi, each
// times its weight.
func weightedSum(dst, w, scratch []float32, add func(acc []float32, lo, hi int)) {
	const block = 256
	clear(dst)
	scratch = scratch[:len(dst)]
	for lo := 0; lo < len(w); lo += block {
		hi := min(lo+block, len(w))
		if allZero(w[lo:hi]) {
			continue
		}
		clear(scratch)
		add(scratch, lo, hi)
		simd.Add(dst, dst, scratch)
	}
}

func allZero(x []float32) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// DivideNorms turns the inner products dst[e] = ⟨E_e, q⟩ into cosines: it divides
// them by ‖E_e‖·‖q‖, or makes them 0 where a norm is 0. norms holds ‖E_e‖. The product of
// two norms is a float32: neither infinite nor so small that it is 0.
func DivideNorms(dst, norms, q []float32) {
	size := 0.0
	for _, x := range q {
		size += float64(x) * float64(x)
	}
	size = math.Sqrt(size)
	for e, n := range norms {
		if d := n * float32(size); d > 0 {
			dst[e] /= d
		} else {
			dst[e] = 0
		}
	}
}

// LoopScores computes dst[e] = ⟨r⊗E_e, E_e⟩, which is Σ_k Re(r_k)·|E_e,k|², and
// flips its sign if negated is set. The table is len(dst) × len(r), row-major,
// real halves first.
func LoopScores(dst, table, r []float32, negated bool) {
	d := len(r) / 2
	for e := range dst {
		row := table[e*2*d : (e+1)*2*d]
		dst[e] = signed(addLoop(0, row[:d], row[d:], r[:d]), negated)
	}
}

// addLoop adds Σ_k r[k]·(re[k]² + im[k]²) to sum, where k is below len(r).
func addLoop(sum float64, re, im, r []float32) float64 {
	re, im = re[:len(r)], im[:len(r)]
	for k, w := range r {
		sum += float64(w) * (float64(re[k])*float64(re[k]) + float64(im[k])*float64(im[k]))
	}
	return sum
}

// signed returns x, or −x if negated is set.
func signed(x float64, negated bool) float32 {
	if negated {
		x = -x
	}
	return float32(x)
}

// Project computes dst = r⊗x, the complex product element by element, with the
// conjugate of r if backward is set, and flips its sign if negated is set. All
// slices have the same even length: real half, then imaginary half. dst must
// not overlap x.
func Project(dst, x, r []float32, backward, negated bool) {
	d := len(r) / 2
	var sign, conj float32 = 1, 1
	if negated {
		sign = -1
	}
	if backward {
		conj = -1
	}
	xr, xi, rr, ri := x[:d], x[d:], r[:d], r[d:]
	re, im := dst[:d], dst[d:]
	for k := range rr {
		a, b := rr[k], conj*ri[k]
		re[k] = sign * (xr[k]*a - xi[k]*b)
		im[k] = sign * (xr[k]*b + xi[k]*a)
	}
}
