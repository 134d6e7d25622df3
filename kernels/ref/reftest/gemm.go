package reftest

import (
	"math"
	"testing"
)

// sizes are the matrix sizes of the sweep: around the edges of the blocks that
// products are made of, then some of several blocks.
var sizes = func() (list [][3]int) {
	edges := []int{0, 1, 2, 5, 6, 7, 11, 12, 13, 15, 16, 17, 31, 32, 33, 48, 65}
	for _, m := range edges {
		for _, n := range edges {
			for _, k := range []int{0, 1, 2, 7, 16, 33, 65} {
				list = append(list, [3]int{m, n, k})
			}
		}
	}
	return append(list, [3]int{64, 9, 512}, [3]int{3, 300, 514}, [3]int{129, 70, 600}, [3]int{9, 514, 300})
}()

func sweepGemmNT(t *testing.T, gemm func(c, a, b []float32, m, n, k int)) {
	mem := newMemory(t)
	for _, s := range sizes {
		m, n, k := s[0], s[1], s[2]
		a, b := mem.normal(m*k, m%4), mem.normal(n*k, n%4)
		c := mem.result(m*n, k%4, float32(math.NaN()))
		gemm(c, a, b, m, n, k)
		for i := range m {
			for j := range n {
				want, size := 0.0, 0.0
				for l := range k {
					p := float64(a[i*k+l]) * float64(b[j*k+l])
					want += p
					size += math.Abs(p)
				}
				if got := float64(c[i*n+j]); !(math.Abs(got-want) <= Tolerance*size) {
					t.Fatalf("%d×%d×%d: row %d, column %d is %v, want %v", m, n, k, i, j, got, want)
				}
			}
		}
		mem.next("%d×%d×%d", m, n, k)
	}
}

func sweepGemmTN(t *testing.T, gemm func(c, a, b []float32, m, n, k int)) {
	mem := newMemory(t)
	for _, s := range sizes {
		m, n, k := s[0], s[1], s[2]
		a, b := mem.normal(k*m, m%4), mem.normal(k*n, n%4)
		old := mem.normal(m*n, 0)
		c := mem.result(m*n, k%4, 0)
		copy(c, old)
		gemm(c, a, b, m, n, k)
		for i := range m {
			for j := range n {
				want, size := float64(old[i*n+j]), math.Abs(float64(old[i*n+j]))
				for l := range k {
					p := float64(a[l*m+i]) * float64(b[l*n+j])
					want += p
					size += math.Abs(p)
				}
				if got := float64(c[i*n+j]); !(math.Abs(got-want) <= Tolerance*size) {
					t.Fatalf("%d×%d×%d: row %d, column %d is %v, want %v", m, n, k, i, j, got, want)
				}
			}
		}
		mem.next("%d×%d×%d", m, n, k)
	}
}
