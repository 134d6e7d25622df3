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

// AxpyRows2 computes AxpyRows for two accumulators of one length and their
// weights at once.
func AxpyRows2(acc0, acc1, rows, weights0, weights1 []float32) {
	AxpyRows(acc0, rows, weights0)
	AxpyRows(acc1, rows, weights1)
}

// AxpyAt computes acc[j] += Σ_i weights[i]·rows[index[i]*w+j], where w = len(acc).
func AxpyAt(acc, rows []float32, index []int32, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		at := int(index[i]) * w
		for j, x := range rows[at : at+w] {
			acc[j] += float32(a * x)
		}
	}
}

// AxpyRows2BF16 computes AxpyRowsBF16 for two accumulators of one length and their
// weights at once.
// The width must be even.
func AxpyRows2BF16(acc0, acc1 []float32, rows []uint16, weights0, weights1 []float32) {
	AxpyRowsBF16(acc0, rows, weights0)
	AxpyRowsBF16(acc1, rows, weights1)
}

// AxpyAtBF16 computes acc[j] += Σ_i weights[i]·bfloat16(rows[index[i]*w+j]), where w = len(acc).
// The width must be even.
func AxpyAtBF16(acc []float32, rows []uint16, index []int32, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		at := int(index[i]) * w
		for j, x := range rows[at : at+w] {
			acc[j] += float32(a * BF16(x))
		}
	}
}

// AxpyRows2F16 computes AxpyRowsF16 for two accumulators of one length and their
// weights at once.
// The width must be even.
func AxpyRows2F16(acc0, acc1 []float32, rows []uint16, weights0, weights1 []float32) {
	AxpyRowsF16(acc0, rows, weights0)
	AxpyRowsF16(acc1, rows, weights1)
}

// AxpyAtF16 computes acc[j] += Σ_i weights[i]·float16(rows[index[i]*w+j]), where w = len(acc).
// The width must be even.
func AxpyAtF16(acc []float32, rows []uint16, index []int32, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		at := int(index[i]) * w
		for j, x := range rows[at : at+w] {
			acc[j] += float32(a * F16(x))
		}
	}
}
