package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// tables are the sizes of table that kernels over rows are timed on: a block of
// a fused pass, which stays in cache, the table of a small graph, and one that
// no cache holds. The last is left out under -short.
var tables = []struct{ rows, width int }{{64, 512}, {64, 2000}, {14505, 512}, {63361, 512}, {14505, 2000}}

// A load is one call of a kernel, and what it reads of the table and computes.
type load struct {
	call  func()
	bytes int
	flops int
}

// benchRows times a kernel on all engines and table sizes.
func benchRows(b *testing.B, make func(k kernelSet, rows, width int) load) {
	for _, size := range tables {
		for _, e := range engines {
			b.Run(fmt.Sprintf("%dx%d/%s", size.rows, size.width, e.name), func(b *testing.B) {
				run(b, e, func() load { return make(e.kernels, size.rows, size.width) })
			})
		}
	}
}

func run(b *testing.B, e tested, make func() load) {
	if !e.present {
		b.Skip("this machine lacks " + e.name)
	}
	l := make()
	b.SetBytes(int64(l.bytes))
	for b.Loop() {
		l.call()
	}
	calls := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(calls*float64(l.bytes)*1e-9, "GB/s")
	b.ReportMetric(calls*float64(l.flops)*1e-9, "GFLOP/s")
}

// table is shared by the benchmarks: it is large.
var table []float32

// beyond is how far a table goes on behind the rows of a benchmark, as it does
// behind a block of a fused pass: kernels ask for rows ahead.
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

func BenchmarkDotRows(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, q, dst := random(n*w), random(w), random(n)
		return load{func() { k.DotRows(dst, rows, q) }, 4 * n * w, 2 * n * w}
	})
}

func BenchmarkDotRows2(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, q0, q1, dst0, dst1 := random(n*w), random(w), random(w), random(n), random(n)
		return load{func() { k.DotRows2(dst0, dst1, rows, q0, q1) }, 4 * n * w, 4 * n * w}
	})
}

func BenchmarkDotRows4(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows := random(n * w)
		q0, q1, q2, q3 := random(w), random(w), random(w), random(w)
		d0, d1, d2, d3 := random(n), random(n), random(n), random(n)
		return load{func() { k.DotRows4(d0, d1, d2, d3, rows, q0, q1, q2, q3) }, 4 * n * w, 8 * n * w}
	})
}

func BenchmarkAxpyRows(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, weights, acc := random(n*w), random(n), random(w)
		return load{func() { k.AxpyRows(acc, rows, weights) }, 4 * n * w, 2 * n * w}
	})
}

// halves returns n finite numbers of either half width.
func halves(n int) []uint16 {
	s := make([]uint16, n+beyond)
	for i := range s {
		s[i] = uint16(0x3800 + i%977)
	}
	return s[:n]
}

func BenchmarkDotRowsBF16(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, q, dst := halves(n*w), random(w), random(n)
		return load{func() { k.DotRowsBF16(dst, rows, q) }, 2 * n * w, 2 * n * w}
	})
}

func BenchmarkDotRowsF16(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, q, dst := halves(n*w), random(w), random(n)
		return load{func() { k.DotRowsF16(dst, rows, q) }, 2 * n * w, 2 * n * w}
	})
}

func BenchmarkDotRows4BF16(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows := halves(n * w)
		q0, q1, q2, q3 := random(w), random(w), random(w), random(w)
		d0, d1, d2, d3 := random(n), random(n), random(n), random(n)
		return load{func() { k.DotRows4BF16(d0, d1, d2, d3, rows, q0, q1, q2, q3) }, 2 * n * w, 8 * n * w}
	})
}

func BenchmarkAxpyRowsBF16(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, weights, acc := halves(n*w), random(n), random(w)
		return load{func() { k.AxpyRowsBF16(acc, rows, weights) }, 2 * n * w, 2 * n * w}
	})
}

func BenchmarkAxpyRowsF16(b *testing.B) {
	benchRows(b, func(k kernelSet, n, w int) load {
		rows, weights, acc := halves(n*w), random(n), random(w)
		return load{func() { k.AxpyRowsF16(acc, rows, weights) }, 2 * n * w, 2 * n * w}
	})
}

// BenchmarkVectors times the kernels over vectors: of a block, of the entities
// of a graph. Bytes are those read and written.
func BenchmarkVectors(b *testing.B) {
	for _, c := range []struct {
		name    string
		vectors int // read and written
		call    func(k kernelSet, dst, x, y []float32)
	}{
		{"ExpSum", 2, func(k kernelSet, dst, x, _ []float32) { k.ExpSum(dst, x, 0.5) }},
		{"Max", 1, func(k kernelSet, _, x, _ []float32) { k.Max(x) }},
		{"SumAbove", 1, func(k kernelSet, _, x, _ []float32) { k.SumAbove(x, 0) }},
		{"ScaleAbove", 2, func(k kernelSet, dst, x, _ []float32) { k.ScaleAbove(dst, x, 0, 2) }},
		{"Scale", 2, func(k kernelSet, dst, x, _ []float32) { k.Scale(dst, x, 2) }},
		{"Mul", 3, func(k kernelSet, dst, x, y []float32) { k.Mul(dst, x, y) }},
		{"Lerp", 3, func(k kernelSet, dst, x, y []float32) { k.Lerp(dst, x, y, 0.3) }},
		{"MaxOf", 3, func(k kernelSet, dst, x, y []float32) { k.MaxOf(dst, x, y) }},
	} {
		for _, n := range []int{64, 14505} {
			for _, e := range engines {
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, n, e.name), func(b *testing.B) {
					run(b, e, func() load {
						dst, x, y := random(n), random(n), random(n)
						return load{func() { c.call(e.kernels, dst, x, y) }, 4 * n * c.vectors, n}
					})
				})
			}
		}
	}
}
