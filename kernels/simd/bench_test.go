package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// tables are the table sizes for benchmarks of kernels over rows: a block of a fused sweep, which stays in
// cache, the table of a small graph, and one that exceeds every cache.
var tables = []struct{ rows, width int }{{64, 512}, {64, 2000}, {14505, 512}, {63361, 512}, {14505, 2000}}

// table is shared by the benchmarks: it is large.
var table []float32

// beyond is the number of numbers that follow the rows of a benchmark, as they do after a block of a fused
// sweep, because kernels prefetch rows.
const beyond = 1 << 14

// random returns n numbers.
func random(n int) []float32 {
	if len(table) < n+beyond {
		table = make([]float32, n+beyond)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range table {
			table[i] = rng.Float32() - 0.5
		}
	}
	return slices.Clone(table[:n+beyond])[:n]
}

// timed benchmarks f, which reads and writes the given number of bytes and does the given number of multiplications.
func timed(b *testing.B, bytes, products int, f func()) {
	b.SetBytes(int64(bytes))
	for b.Loop() {
		f()
	}
	b.ReportMetric(2*float64(products)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
}

// BenchmarkRows times the kernels over rows of float32 on all table sizes.
func BenchmarkRows(b *testing.B) {
	for _, size := range tables {
		n, w := size.rows, size.width
		rows, weights := random(n*w), random(n)
		var q, dst [4][]float32
		for k := range q {
			q[k], dst[k] = random(w), random(n)
		}
		for _, kernel := range []struct {
			name     string
			products int
			call     func()
		}{
			{"DotRows", 1, func() { DotRows(dst[0], rows, q[0]) }},
			{"DotRows2", 2, func() { DotRows2(dst[0], dst[1], rows, q[0], q[1]) }},
			{"DotRows4", 4, func() { DotRows4(dst[0], dst[1], dst[2], dst[3], rows, q[0], q[1], q[2], q[3]) }},
			{"AxpyRows", 1, func() { AxpyRows(q[0], rows, weights) }},
			{"AxpyRows2", 2, func() { AxpyRows2(q[0], q[1], rows, weights, dst[1]) }},
		} {
			benchEngines(b, fmt.Sprintf("%s/%dx%d", kernel.name, n, w), func(b *testing.B) {
				timed(b, 4*n*w, kernel.products*n*w, kernel.call)
			})
		}
	}
}

// BenchmarkGemm times matrix products: all rows of a table with a batch of
// queries, and a block of a fused sweep.
func BenchmarkGemm(b *testing.B) {
	for _, size := range []struct{ queries, rows, width int }{{256, 14505, 512}, {256, 64, 512}, {64, 64, 2000}, {5, 64, 512}} {
		table, queries := random(size.rows*size.width), random(size.queries*size.width)
		scores := random(size.queries * size.rows)
		benchEngines(b, fmt.Sprintf("%dx%dx%d", size.queries, size.rows, size.width), func(b *testing.B) {
			timed(b, 4*size.rows*size.width, size.queries*size.rows*size.width, func() {
				GemmNT(scores, table, queries, size.rows, size.queries, size.width)
			})
		})
	}
}

// BenchmarkVectors times the kernels over vectors: of a block, and of the entities of a graph. Bytes are those
// read and written.
func BenchmarkVectors(b *testing.B) {
	for _, n := range []int{64, 14505} {
		dst, x, y := random(n), random(n), random(n)
		for _, kernel := range []struct {
			name    string
			vectors int // read and written
			call    func()
		}{
			{"ExpSum", 2, func() { ExpSum(dst, x, 0.5) }},
			{"Max", 1, func() { Max(x) }},
			{"SumAbove", 1, func() { SumAbove(x, 0) }},
			{"ScaleAbove", 2, func() { ScaleAbove(dst, x, 0, 2) }},
			{"Scale", 2, func() { Scale(dst, x, 2) }},
			{"Mul", 3, func() { Mul(dst, x, y) }},
			{"MaxOf", 3, func() { MaxOf(dst, x, y) }},
		} {
			benchEngines(b, fmt.Sprintf("%s/%d", kernel.name, n), func(b *testing.B) {
				timed(b, 4*n*kernel.vectors, n, kernel.call)
			})
		}
	}
}
