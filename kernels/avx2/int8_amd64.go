//go:build !noasm

package avx2

// SumRowsI8 computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc).
func SumRowsI8(acc []float32, rows []int8, scales, weights []float32) {
	AxpyRowsI8(acc, rows, scales, weights)
}
