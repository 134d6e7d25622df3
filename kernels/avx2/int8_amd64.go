//go:build !noasm

package avx2

// SumRows2I8 computes acck[j] += Σ_i weightsk[i]·scales[i]·rows[i*w+j] for both sums k, where
// w = len(acc0).
func SumRows2I8(acc0, acc1 []float32, rows []int8, scales, weights0, weights1 []float32) {
	SumRowsI8(acc0, rows, scales, weights0)
	SumRowsI8(acc1, rows, scales, weights1)
}
