package ref

// DotRows computes dst[i] = Σ_j rows[i*w+j]·q[j], where w = len(q).
func DotRows(dst, rows, q []float32) {
	w := len(q)
	for i := range dst {
		sum := 0.0
		for j, x := range rows[i*w : (i+1)*w] {
			sum += float64(x) * float64(q[j])
		}
		dst[i] = float32(sum)
	}
}

// DotRows2 computes dstk[i] = Σ_j rows[i*w+j]·qk[j] for both queries k,
// where w = len(q0).
func DotRows2(dst0, dst1, rows, q0, q1 []float32) {
	DotRows(dst0, rows, q0)
	DotRows(dst1[:len(dst0)], rows, q1[:len(q0)])
}

// DotRows4 computes dstk[i] = Σ_j rows[i*w+j]·qk[j] for four queries k,
// where w = len(q0).
func DotRows4(dst0, dst1, dst2, dst3, rows, q0, q1, q2, q3 []float32) {
	DotRows(dst0, rows, q0)
	DotRows(dst1[:len(dst0)], rows, q1[:len(q0)])
	DotRows(dst2[:len(dst0)], rows, q2[:len(q0)])
	DotRows(dst3[:len(dst0)], rows, q3[:len(q0)])
}

// DotRowsBF16 computes dst[i] = Σ_j bfloat16(rows[i*w+j])·q[j], where w = len(q).
// The width must be even.
func DotRowsBF16(dst []float32, rows []uint16, q []float32) {
	w := len(q)
	for i := range dst {
		sum := 0.0
		for j, x := range rows[i*w : (i+1)*w] {
			sum += float64(BF16(x)) * float64(q[j])
		}
		dst[i] = float32(sum)
	}
}

// DotRows2BF16 computes dstk[i] = Σ_j bfloat16(rows[i*w+j])·qk[j] for both queries k,
// where w = len(q0). The width must be even.
func DotRows2BF16(dst0, dst1 []float32, rows []uint16, q0, q1 []float32) {
	DotRowsBF16(dst0, rows, q0)
	DotRowsBF16(dst1[:len(dst0)], rows, q1[:len(q0)])
}

// DotRows4BF16 computes dstk[i] = Σ_j bfloat16(rows[i*w+j])·qk[j] for four queries k,
// where w = len(q0). The width must be even.
func DotRows4BF16(dst0, dst1, dst2, dst3 []float32, rows []uint16, q0, q1, q2, q3 []float32) {
	DotRowsBF16(dst0, rows, q0)
	DotRowsBF16(dst1[:len(dst0)], rows, q1[:len(q0)])
	DotRowsBF16(dst2[:len(dst0)], rows, q2[:len(q0)])
	DotRowsBF16(dst3[:len(dst0)], rows, q3[:len(q0)])
}

// DotRowsF16 computes dst[i] = Σ_j float16(rows[i*w+j])·q[j], where w = len(q).
// The width must be even.
func DotRowsF16(dst []float32, rows []uint16, q []float32) {
	w := len(q)
	for i := range dst {
		sum := 0.0
		for j, x := range rows[i*w : (i+1)*w] {
			sum += float64(F16(x)) * float64(q[j])
		}
		dst[i] = float32(sum)
	}
}

// DotRows2F16 computes dstk[i] = Σ_j float16(rows[i*w+j])·qk[j] for both queries k,
// where w = len(q0). The width must be even.
func DotRows2F16(dst0, dst1 []float32, rows []uint16, q0, q1 []float32) {
	DotRowsF16(dst0, rows, q0)
	DotRowsF16(dst1[:len(dst0)], rows, q1[:len(q0)])
}

// DotRows4F16 computes dstk[i] = Σ_j float16(rows[i*w+j])·qk[j] for four queries k,
// where w = len(q0). The width must be even.
func DotRows4F16(dst0, dst1, dst2, dst3 []float32, rows []uint16, q0, q1, q2, q3 []float32) {
	DotRowsF16(dst0, rows, q0)
	DotRowsF16(dst1[:len(dst0)], rows, q1[:len(q0)])
	DotRowsF16(dst2[:len(dst0)], rows, q2[:len(q0)])
	DotRowsF16(dst3[:len(dst0)], rows, q3[:len(q0)])
}
