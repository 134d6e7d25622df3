//go:build !noasm

package avx2

// viewDepth is the number of terms of a sum per block: viewDepth rows of 16 columns of b stay in the
// first-level cache.
const viewDepth = 256

// Gemm computes c[i*cRow+j] += Σ_l a[i*aRow+l*aCol]·b[l*bRow+j] for i < m, j < n
// and l < k: a product of matrices that are views, where a may be transposed.
// n is a multiple of 16. Each sum is taken in the order of l, so it is the same
// however a product is cut by rows and columns.
func Gemm(c, a, b []float32, m, n, k, cRow, aRow, aCol, bRow int) {
	for l := 0; l < k; l += viewDepth {
		depth := min(viewDepth, k-l)
		for j := 0; j < n; j += 16 {
			for i := 0; i < m; {
				c := &c[i*cRow+j]
				a := &a[i*aRow+l*aCol]
				b := &b[l*bRow+j]
				switch left := m - i; {
				case left >= 6:
					viewTile6x16(c, a, b, depth, cRow, aRow, aCol, bRow)
					i += 6
				case left >= 4:
					viewTile4x16(c, a, b, depth, cRow, aRow, aCol, bRow)
					i += 4
				default:
					viewTile1x16(c, a, b, depth, cRow, aRow, aCol, bRow)
					i++
				}
			}
		}
	}
}
