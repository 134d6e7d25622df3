package simd

import "fmt"

// view panics unless the views of Gemm lie inside their slices and n is a
// multiple of 16.
func view(c, a, b []float32, m, n, k, cRow, aRow, aCol, bRow int) {
	notNegative(m, n, k)
	if n%16 != 0 || cRow|aRow|aCol|bRow < 0 {
		panic(fmt.Sprintf("simd: view of %d columns, strides %d, %d, %d and %d", n, cRow, aRow, aCol, bRow))
	}
	if m == 0 || n == 0 || k == 0 {
		return
	}
	atLeast(len(c), (m-1)*cRow+n)
	atLeast(len(a), (m-1)*aRow+(k-1)*aCol+1)
	atLeast(len(b), (k-1)*bRow+n)
}
