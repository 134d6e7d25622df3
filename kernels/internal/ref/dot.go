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
