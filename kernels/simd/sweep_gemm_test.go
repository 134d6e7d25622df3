package simd

import (
	"sync"
	"testing"

	"github.com/efoc/efoc/testdata/long"
)

// sizes are the matrix sizes of the sweep: around the edges of the blocks of products, then some of several
// blocks. By default each pair of sizes has one third.
var sizes = sync.OnceValue(func() (list [][3]int) {
	edges := []int{0, 1, 2, 5, 6, 7, 11, 12, 13, 15, 16, 17, 31, 32, 33, 48, 65}
	for i, m := range edges {
		for j, n := range edges {
			for l, k := range []int{0, 1, 2, 7, 16, 33, 65} {
				if long.Tests() || (i+j+l)%7 == 0 {
					list = append(list, [3]int{m, n, k})
				}
			}
		}
	}
	return append(list, [3]int{64, 9, 512}, [3]int{3, 300, 514}, [3]int{129, 70, 600}, [3]int{9, 514, 300})
})

// matrixRegimes calls test for all sizes with ordinary numbers, and for every seventh
// in the other regimes.
func matrixRegimes(test func(m, n, k int, r regime)) {
	for r := range regimes {
		for i, s := range sizes() {
			if r == ordinary || i%7 == int(r) {
				test(s[0], s[1], s[2], r)
			}
		}
	}
}

func sweepGemmNT(t *testing.T) {
	mem := newMemory(t)
	matrixRegimes(func(m, n, k int, r regime) {
		a, b := mem.numbers(m*k, m%4, r), mem.numbers(n*k, n%4, r)
		c := mem.result(m*n, k%4, notANumber)
		GemmNT(c, a, b, m, n, k)
		for i := range m {
			for j := range n {
				var want sum
				for l := range k {
					want.add(float64(a[i*k+l]) * float64(b[j*k+l]))
				}
				if !want.holds(c[i*n+j]) {
					t.Fatalf("%d×%d×%d %s numbers: row %d, column %d is %v, want %v", m, n, k, r, i, j, c[i*n+j], want.value)
				}
			}
		}
		mem.next("%d×%d×%d", m, n, k)
	})
}
