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

// SumRowsI8 computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc),
// with VNNI as SumRowsI8VNNI does.
func SumRowsI8(acc []float32, rows []int8, scales, weights []float32) {
	if vnni {
		SumRowsI8VNNI(acc, rows, scales, weights)
	} else {
		AxpyRowsI8(acc, rows, scales, weights)
	}
}

// SumRowsI8VNNI computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc),
// in integers, 64 rows at a time: the product of weight and scale is rounded to a multiple
// of 1/32512 of the largest in the group. Groups of which that is not an ordinary number are
// left to AxpyRowsI8.
func SumRowsI8VNNI(acc []float32, rows []int8, scales, weights []float32) {
	w := len(acc)
	if w == 0 {
		return
	}
	var bytes [128]int8
	for lo := 0; lo < len(weights); lo += 64 {
		n := min(64, len(weights)-lo)
		largest := float32(0)
		if n == 64 {
			largest = weights8(&bytes, &weights[lo], &scales[lo])
		} else {
			largest = fewWeights8(&bytes, weights[lo:lo+n], scales[lo:lo+n])
		}
		switch {
		case largest == 0:
		case largest > 0x1p-100 && largest < 0x1p100:
			addRows8(&acc[0], &rows[lo*w], &bytes, largest/32512, n, w)
		default:
			AxpyRowsI8(acc, rows[lo*w:(lo+n)*w], scales[lo:lo+n], weights[lo:lo+n])
		}
	}
}

// fewWeights8 is weights8 for fewer than 64 weights.
func fewWeights8(bytes *[128]int8, weights, scales []float32) float32 {
	var w, s [64]float32
	copy(w[:], weights)
	copy(s[:], scales)
	return weights8(bytes, &w[0], &s[0])
}
