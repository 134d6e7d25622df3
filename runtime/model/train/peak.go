package train

import (
	"time"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// PeakFLOPS returns the floating-point operations per second that the matrix products of
// training reach on that many threads with all operands packed and in cache. It takes about a
// tenth of a second.
func PeakFLOPS(threads int) float64 {
	const rows, columns, depth, calls = 64, 64, 256, 50
	best := 0.0
	workers := pool.New(threads)
	defer workers.Close()
	a, b, c := make([]packing, threads), make([]float32, columns*depth), make([][]float32, threads)
	for i := range a {
		a[i].left.Pack(product.Of(b, rows, depth, depth), terms)
		a[i].right.Pack(product.Of(b, depth, columns, columns), terms)
		c[i] = make([]float32, rows*columns)
	}
	for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
		turn := time.Now()
		workers.Each(threads, func(_, i int) {
			for range calls {
				product.Mul(c[i], columns, &a[i].left, &a[i].right)
			}
		})
		best = max(best, float64(threads)*calls*2*rows*columns*depth/time.Since(turn).Seconds())
	}
	return best
}
