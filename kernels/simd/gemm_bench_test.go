package simd

import (
	"fmt"
	"testing"
)

// BenchmarkGemm times matrix products: all rows of a table with a batch of
// queries, and a block of a fused pass.
func BenchmarkGemm(b *testing.B) {
	for _, size := range []struct{ queries, rows, width int }{{256, 14505, 512}, {256, 64, 512}, {64, 64, 2000}, {5, 64, 512}} {
		for _, e := range engines {
			if e.name == portable.name && size.rows > 64 {
				continue // takes seconds
			}
			name := fmt.Sprintf("%dx%dx%d/%s", size.queries, size.rows, size.width, e.name)
			flops := 2 * size.queries * size.rows * size.width
			bytes := 4 * size.rows * size.width
			table, queries := random(size.rows*size.width), random(size.queries*size.width)
			scores := random(size.queries * size.rows)
			b.Run(name, func(b *testing.B) {
				run(b, e, func() load {
					return load{func() { e.kernels.GemmNT(scores, table, queries, size.rows, size.queries, size.width) }, bytes, flops}
				})
			})
		}
	}
}
