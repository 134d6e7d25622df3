package product

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
)

// BenchmarkBatch times what a batch of softmax queries does with a table: scores,
// their exponentials, and the sums of the rows that these weigh, block by block.
func BenchmarkBatch(b *testing.B) {
	const rows, width = 14541, 512
	best := Unit()
	defer func() {
		if err := Use(best); err != nil {
			b.Fatal(err)
		}
	}()
	for _, queries := range []int{8, 16, 64} {
		rng := rand.New(rand.NewPCG(1, 2))
		report := func(b *testing.B) {
			b.ReportMetric(float64(queries*b.N)/b.Elapsed().Seconds(), "queries/s")
			b.ReportMetric(4*float64(rows*width*queries)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
		}
		for k := range kind(3) {
			table, asked := draw(rng, k, rows, width, 0, false), draw(rng, float32Kind, queries, width, 0, false)
			for i := range asked.wide {
				asked.wide[i] *= 1e-3
			}
			scores, sums := make([]float32, queries*rows), make([]float32, queries*width)
			for terms := One; terms <= Three; terms++ {
				for _, most := range []int{64, 128, 256, 512} {
					b.Run(fmt.Sprintf("%d/%s/%s/%d/blocks%d", queries, k, best, terms, most), func(b *testing.B) {
						for b.Loop() {
							clear(sums)
							shared.Pack(asked.Matrix.T(), terms)
							for lo := 0; lo < rows; lo += most {
								n := min(most, rows-lo)
								some := slice(&table.Matrix, lo, lo+n)
								block.Pack(some, terms)
								MulT(scores, most, &block, &shared)
								for q := range queries {
									s := scores[q*most : q*most+n]
									simd.ExpSum(s, s, 0)
								}
								part.Pack(Of(scores, queries, n, most), terms)
								rowsOf.Pack(some, terms)
								MulAdd(sums, width, &part, &rowsOf)
							}
						}
						report(b)
					})
				}
			}
		}
	}
}
