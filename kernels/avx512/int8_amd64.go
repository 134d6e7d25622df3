//go:build !noasm

package avx512

import "golang.org/x/sys/cpu"

// vnni says whether products of 8-bit rows are made of products of bytes or of words. The
// results are the same to the bit.
var vnni = cpu.X86.HasAVX512VNNI

// DotRowsI8 computes dst[i] = by·scales[i]·Σ_j rows[i*w+j]·q[j], where w = len(q)/2.
func DotRowsI8(dst []float32, rows []int8, scales []float32, q []int16, by float32) {
	if vnni {
		DotRowsI8VNNI(dst, rows, scales, q, by)
	} else {
		DotRowsI8Words(dst, rows, scales, q, by)
	}
}

// DotRows4I8 computes dstk[i] = by[k]·scales[i]·Σ_j rows[i*w+j]·q[k*2*w+j] for four
// queries k, where w = len(q)/8.
func DotRows4I8(dst0, dst1, dst2, dst3 []float32, rows []int8, scales []float32, q []int16, by []float32) {
	if vnni {
		DotRows4I8VNNI(dst0, dst1, dst2, dst3, rows, scales, q, by)
	} else {
		DotRows4I8Words(dst0, dst1, dst2, dst3, rows, scales, q, by)
	}
}
