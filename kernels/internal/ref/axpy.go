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
