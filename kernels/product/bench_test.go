package product

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/testdata/require"
)

// BenchmarkProduct times the products of a batch and of a training step as they are computed in practice: a
// shared operand is packed once, the table in blocks that stay in the cache. GFLOP/s count the operations of
// the product itself, for any number of terms.
func BenchmarkProduct(b *testing.B) {
	best := Unit()
	defer func() {
		require.NoError(b, Use(best))
	}()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ rows, width, cols int }{{14541, 512, 64}, {12000, 512, 500}} {
		for k := range kind(2) {
			table := draw(rng, k, size.rows, size.width, 0, false)
			queries := draw(rng, anyKind, size.cols, size.width, 0, false)
			weights := make([]float32, size.cols*size.rows)
			for i := range weights {
				weights[i] = rng.Float32()
			}
			for _, unit := range Units() {
				if simd.Engine() == "portable" {
					continue // takes seconds
				}
				for terms := One; terms <= Three; terms++ {
					if terms > max(One, paneledTerms[slices.Index(unitNames[:], unit)]) {
						continue // as in float32
					}
					for _, shape := range []string{"scores", "columns", "sums"} {
						name := fmt.Sprintf("%s/%dx%dx%d/%s/%s/%d", shape, size.rows, size.width, size.cols, k, unit, terms)
						b.Run(name, func(b *testing.B) {
							require.NoError(b, Use(unit))
							call := func() { scores(&table.Matrix, &queries.Matrix, weights, terms, shape == "columns") }
							if shape == "sums" {
								sums := make([]float32, size.cols*size.width)
								call = func() { weigh(sums, &table.Matrix, weights, size.cols, terms) }
							}
							call()
							for b.Loop() {
								call()
							}
							b.ReportMetric(2*float64(size.rows*size.width*size.cols)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
						})
					}
				}
			}
		}
	}
}

// The operands of the benchmarks.
var (
	shared Right
	block  Left
	part   Left
	rowsOf Right
)

// slice returns rows lo to hi of a row-major matrix.
func slice(m *Matrix, lo, hi int) Matrix {
	some := *m
	some.rows = hi - lo
	some.numbers = m.numbers[lo*m.stride:]
	return some
}

// scores computes all scores of a table, with either a row's scores or a query's contiguous.
func scores(table, queries *Matrix, dst []float32, terms Terms, byQuery bool) {
	shared.Pack(queries.T(), terms)
	const most = 128
	for lo := 0; lo < table.rows; lo += most {
		hi := min(lo+most, table.rows)
		block.Pack(slice(table, lo, hi), terms)
		if byQuery {
			MulT(dst[lo:], table.rows, &block, &shared)
		} else {
			Mul(dst[lo*queries.rows:], queries.rows, &block, &shared)
		}
	}
}

// weigh computes weighted sums of the rows of a table; the weights of a row are contiguous.
func weigh(sums []float32, table *Matrix, weights []float32, cols int, terms Terms) {
	clear(sums)
	const most = 512
	for lo := 0; lo < table.rows; lo += most {
		hi := min(lo+most, table.rows)
		part.Pack(Of(weights[lo*cols:], hi-lo, cols, cols).T(), terms)
		rowsOf.Pack(slice(table, lo, hi), terms)
		MulAdd(sums, table.cols, &part, &rowsOf)
	}
}
