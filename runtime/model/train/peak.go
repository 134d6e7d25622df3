package train

import (
	"time"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// PeakFLOPS returns the floating-point operations per second that the matrix
// kernel reaches on that many threads where all operands are in the first level
// of the cache: what training is measured against. It takes about a tenth of a
// second.
func PeakFLOPS(threads int) float64 {
	const rows, columns, depth, calls = 14, 32, 128, 2000
	best := 0.0
	workers := pool.New(threads)
	defer workers.Close()
	for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
		turn := time.Now()
		workers.Each(threads, func(int, int) {
			a, b, c := make([]float32, rows*depth), make([]float32, depth*columns), make([]float32, rows*columns)
			for range calls {
				simd.Gemm(c, a, b, rows, columns, depth, columns, 1, rows, columns)
			}
		})
		best = max(best, float64(threads)*calls*2*rows*columns*depth/time.Since(turn).Seconds())
	}
	return best
}
