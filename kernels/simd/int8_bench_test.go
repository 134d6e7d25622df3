package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/efoc/efoc/kernels/internal/ref"
)

// codes returns n codes, followed by more, in memory that nothing else uses.
func codes(n int) []int8 {
	rng := rand.New(rand.NewPCG(1, 2))
	s := make([]int8, n+beyond)
	for i := range s {
		s[i] = int8(rng.IntN(255) - 127)
	}
	return s[:n]
}

// sweep processes n rows in tiles, which stay in cache between kernels.
func sweep(n int, tile func(lo, hi int)) {
	const rows = 64
	for lo := 0; lo < n; lo += rows {
		tile(lo, min(lo+rows, n))
	}
}

// BenchmarkInt8 times the kernels over 8-bit tables: a tile that stays in L1, the table of a small graph, and
// of a large one. Only the bytes of codes count. For comparison, it times a plain read of the same number of
// bytes and the same work on float32 rows. A sweep is scores, their exponentials, and the sum of the rows
// weighted by these.
func BenchmarkInt8(b *testing.B) {
	const w = 512
	for _, n := range []int{64, 14541, 63361} {
		rows, lows, scales, weights, dst := codes(n*w), codes(n*w), random(n), random(n), random(n)
		q, by, acc := make([]int16, 8*w), random(4), random(w)
		for k := range 4 {
			for j := range w {
				q[2*w*k+j] = int16(j*7919%65024 - 32512)
			}
			ref.PackQuery(q[2*w*k : 2*w*(k+1)])
		}
		floats := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(rows))), n*w/4)
		table, x := random(n*w), random(w)
		for _, job := range []struct {
			name            string
			bytes, products int
			call            func()
		}{
			{"read", n * w, 0, func() { Max(floats) }},
			{"DotRowsI8", n * w, n * w, func() { DotRowsI8(dst, rows, scales, q[:2*w], 1, true) }},
			{"DotRows4I8", n * w, 4 * n * w, func() { DotRows4I8(dst, dst, dst, dst, rows, scales, q, by, true) }},
			{"DotRows4I16", 2 * n * w, 4 * n * w, func() { DotRows4I16(dst, dst, dst, dst, rows, lows, scales, q, by, true) }},
			{"SumRowsI8", n * w, n * w, func() { SumRowsI8(acc, rows, scales, weights) }},
			{"sweep", n * w, 2 * n * w, func() {
				sweep(n, func(lo, hi int) {
					DotRowsI8(dst[lo:hi], rows[lo*w:], scales[lo:], q[:2*w], 1e-9, false)
					ExpSum(dst[lo:hi], dst[lo:hi], 0)
					SumRowsI8(acc, rows[lo*w:], scales[lo:], dst[lo:hi])
				})
			}},
			{"sweepFloat32", 4 * n * w, 2 * n * w, func() {
				sweep(n, func(lo, hi int) {
					DotRows(dst[lo:hi], table[lo*w:], x)
					ExpSum(dst[lo:hi], dst[lo:hi], 1)
					AxpyRows(acc, table[lo*w:], dst[lo:hi])
				})
			}},
		} {
			benchEngines(b, fmt.Sprintf("%s/%dx%d", job.name, n, w), func(b *testing.B) {
				timed(b, job.bytes, job.products, job.call)
			})
		}
	}
}
