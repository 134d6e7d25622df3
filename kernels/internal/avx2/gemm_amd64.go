//go:build !noasm

package avx2

// Rows, and columns of a row, per block: a block stays in L2 with as many columns of some hundred queries.
const (
	blockRows  = 64
	blockDepth = 512
)

// GemmNT computes c[i*n+j] = Σ_l a[i*k+l]·b[j*k+l]: c is m×n, a is m×k, b is n×k.
func GemmNT(c, a, b []float32, m, n, k int) {
	clear(c[:m*n])
	for i := 0; i < m; i += blockRows {
		rows := min(blockRows, m-i)
		for l := 0; l < k; l += blockDepth {
			depth := min(blockDepth, k-l)
			for j := 0; j < n; {
				c := &c[i*n+j]
				a := &a[i*k+l]
				b := &b[j*k+l]
				switch left := n - j; {
				case left >= 4:
					dotTile4(c, a, b, rows, depth, k, n)
					j += 4
				case left >= 2:
					dotTile2(c, a, b, rows, depth, k, n)
					j += 2
				default:
					dotTile1(c, a, b, rows, depth, k, n)
					j += 1
				}
			}
		}
	}
}
