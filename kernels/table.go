package kernels

// LoopScores computes dst[e] = ⟨r⊗E_e, E_e⟩, which is Σ_k Re(r_k)·|E_e,k|², and
// flips its sign if negated is set. The table is len(dst) × len(r), row-major,
// real halves first.
func LoopScores(dst, table, r []float32, negated bool) {
	d := len(r) / 2
	for e := range dst {
		row := table[e*2*d : (e+1)*2*d]
		dst[e] = signed(addLoop(0, row[:d], row[d:], r[:d]), negated)
	}
}

// addLoop adds Σ_k r[k]·(re[k]² + im[k]²) to sum, where k is below len(r).
func addLoop(sum float64, re, im, r []float32) float64 {
	re = re[:len(r)]
	im = im[:len(r)]
	for k, w := range r {
		sum += float64(w) * (float64(re[k])*float64(re[k]) + float64(im[k])*float64(im[k]))
	}
	return sum
}

// signed returns x, or −x if negated is set.
func signed(x float64, negated bool) float32 {
	if negated {
		x = -x
	}
	return float32(x)
}

// Project computes dst = r⊗x, the complex product element by element, with the
// conjugate of r if backward is set, and flips its sign if negated is set. All
// slices have the same even length: real half, then imaginary half. dst must
// not overlap x.
func Project(dst, x, r []float32, backward, negated bool) {
	d := len(r) / 2
	var sign, conj float32 = 1, 1
	if negated {
		sign = -1
	}
	if backward {
		conj = -1
	}
	xr := x[:d]
	xi := x[d:]
	rr := r[:d]
	ri := r[d:]
	re := dst[:d]
	im := dst[d:]
	for k := range rr {
		a := rr[k]
		b := conj * ri[k]
		re[k] = sign * (xr[k]*a - xi[k]*b)
		im[k] = sign * (xr[k]*b + xi[k]*a)
	}
}
