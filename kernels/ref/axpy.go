package ref

// AxpyRows computes acc[j] += Σ_i weights[i]·rows[i*w+j], where w = len(acc).
func AxpyRows(acc, rows, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		for j, x := range rows[i*w : (i+1)*w] {
			acc[j] += float32(a * x)
		}
	}
}

// AxpyRowsBF16 computes acc[j] += Σ_i weights[i]·bfloat16(rows[i*w+j]), where w = len(acc).
// The width must be even.
func AxpyRowsBF16(acc []float32, rows []uint16, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		for j, x := range rows[i*w : (i+1)*w] {
			acc[j] += float32(a * BF16(x))
		}
	}
}

// AxpyRowsF16 computes acc[j] += Σ_i weights[i]·float16(rows[i*w+j]), where w = len(acc).
// The width must be even.
func AxpyRowsF16(acc []float32, rows []uint16, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		for j, x := range rows[i*w : (i+1)*w] {
			acc[j] += float32(a * F16(x))
		}
	}
}
