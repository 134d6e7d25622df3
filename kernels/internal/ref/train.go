package ref

import "math"

// The kernels in this file train a link predictor.

// Gemm computes c[i*cRow+j] += Σ_l a[i*aRow+l*aCol]·b[l*bRow+j] for i < m, j < n
// and l < k: a product of matrices that are views, where a may be transposed.
// n is a multiple of 16. Each sum is taken in the order of l, so it is the same
// however a product is cut by rows and columns.
func Gemm(c, a, b []float32, m, n, k, cRow, aRow, aCol, bRow int) {
	for i := range m {
		for l := range k {
			x := a[i*aRow+l*aCol]
			for j := range n {
				c[i*cRow+j] += float32(x * b[l*bRow+j])
			}
		}
	}
}

// ExpShifts computes dst[i] = exp(x[i]−shifts[i]), the difference taken in
// float32, with ExpSum's limits, and adds it to sums[i].
func ExpShifts(dst, x, shifts, sums []float32) {
	for i := range dst {
		if t := x[i] - shifts[i]; t < SmallestExponent {
			dst[i] = 0
		} else {
			dst[i] = float32(math.Exp(float64(t)))
		}
		sums[i] += dst[i]
	}
}

// AdagradN3 takes a step of Adagrad on one embedding x, real half first: to the
// gradient it adds n3·|x_k|·x_k, to squares the square of that, and from x it
// takes rate times the gradient over the root of the squares, each root larger
// by 1e-10. It overwrites grad. The squares of x and of the gradient are finite.
func AdagradN3(x, squares, grad []float32, rate, n3 float32) {
	d := len(x) / 2
	step := func(k int, weight float32) {
		g := grad[k] + float32(weight*x[k])
		grad[k] = g
		squares[k] += float32(g * g)
		root := float32(math.Sqrt(float64(squares[k])))
		x[k] -= float32(rate*g) / (root + 1e-10)
	}
	for k := range d {
		size := float32(math.Sqrt(float64(float32(x[k]*x[k]) + float32(x[d+k]*x[d+k]))))
		weight := float32(n3 * size)
		step(k, weight)
		step(d+k, weight)
	}
}
