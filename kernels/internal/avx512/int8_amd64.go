//go:build !noasm

package avx512

import "github.com/efoc/efoc/kernels/internal/avx2"

// SumRowsI8VNNI computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc), in
// integers, 64 rows at a time: the product of weight and scale is rounded to a multiple of 1/32512 of
// the largest in the group. A group whose largest product is not an ordinary number is left to AVX2.
func SumRowsI8VNNI(acc []float32, rows []int8, scales, weights []float32) {
	w := len(acc)
	if w == 0 {
		return
	}
	var bytes [128]int8
	for lo := 0; lo < len(weights); lo += 64 {
		hi := min(lo+64, len(weights))
		largest := groupWeights8(&bytes, weights[lo:hi], scales[lo:hi])
		addGroup8(acc, rows[lo*w:hi*w], scales[lo:hi], weights[lo:hi], &bytes, largest)
	}
}

// SumRows2I8VNNI is SumRowsI8VNNI for two sums.
func SumRows2I8VNNI(acc0, acc1 []float32, rows []int8, scales, weights0, weights1 []float32) {
	w := len(acc0)
	if w == 0 {
		return
	}
	var bytes0, bytes1 [128]int8
	for lo := 0; lo < len(weights0); lo += 64 {
		hi := min(lo+64, len(weights0))
		rows := rows[lo*w : hi*w]
		scales := scales[lo:hi]
		weights0 := weights0[lo:hi]
		weights1 := weights1[lo:hi]
		largest0 := groupWeights8(&bytes0, weights0, scales)
		largest1 := groupWeights8(&bytes1, weights1, scales)
		if avx2.Ordinary8(largest0) && avx2.Ordinary8(largest1) {
			addTwice8(&acc0[0], &acc1[0], &rows[0], &bytes0, &bytes1, largest0/32512, largest1/32512, hi-lo, w)
			continue
		}
		addGroup8(acc0, rows, scales, weights0, &bytes0, largest0)
		addGroup8(acc1, rows, scales, weights1, &bytes1, largest1)
	}
}

// addGroup8 adds a group of rows with the weights in bytes, computed by groupWeights8.
func addGroup8(acc []float32, rows []int8, scales, weights []float32, bytes *[128]int8, largest float32) {
	switch {
	case largest == 0:
	case avx2.Ordinary8(largest):
		addRows8(&acc[0], &rows[0], bytes, largest/32512, len(weights), len(acc))
	default:
		avx2.SumRowsI8(acc, rows, scales, weights)
	}
}

// groupWeights8 is weights8 for at most 64 weights.
func groupWeights8(bytes *[128]int8, weights, scales []float32) float32 {
	if len(weights) == 64 {
		return weights8(bytes, &weights[0], &scales[0])
	}
	var w, s [64]float32
	copy(w[:], weights)
	copy(s[:], scales)
	return weights8(bytes, &w[0], &s[0])
}
