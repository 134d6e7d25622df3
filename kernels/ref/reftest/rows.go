package reftest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// Tolerance bounds the error of sums of products, relative to the sum of their
// absolute values.
const Tolerance = 1e-6

// widths and counts are the row lengths and numbers of rows of the sweep.
var (
	widths = append(steps(0, 70, 2), 512, 514)
	counts = append(steps(0, 67, 1), 130)
)

func steps(from, to, by int) []int {
	var list []int
	for n := from; n <= to; n += by {
		list = append(list, n)
	}
	return list
}

// Sweep tests every kernel of k that is not nil.
func Sweep(t *testing.T, k Kernels) {
	run := func(name string, present bool, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			if !present {
				t.Skip("not implemented")
			}
			test(t)
		})
	}
	run("DotRows", k.DotRows != nil, func(t *testing.T) { sweepDots(t, k.DotRows, k.DotRows2, k.DotRows4) })
	run("AxpyRows", k.AxpyRows != nil, func(t *testing.T) { sweepAxpy(t, k.AxpyRows, k.AxpyRows2, k.AxpyAt) })
	run("DotRowsBF16", k.DotRowsBF16 != nil, func(t *testing.T) {
		sweepDotHalves(t, ref.BF16, ref.ToBF16, k.DotRowsBF16, k.DotRows2BF16, k.DotRows4BF16)
	})
	run("DotRowsF16", k.DotRowsF16 != nil, func(t *testing.T) {
		sweepDotHalves(t, ref.F16, ref.ToF16, k.DotRowsF16, k.DotRows2F16, k.DotRows4F16)
	})
	run("AxpyRowsBF16", k.AxpyRowsBF16 != nil, func(t *testing.T) {
		sweepAxpyHalves(t, ref.BF16, ref.ToBF16, k.AxpyRowsBF16, k.AxpyRows2BF16, k.AxpyAtBF16)
	})
	run("AxpyRowsF16", k.AxpyRowsF16 != nil, func(t *testing.T) {
		sweepAxpyHalves(t, ref.F16, ref.ToF16, k.AxpyRowsF16, k.AxpyRows2F16, k.AxpyAtF16)
	})
	run("ExpSum", k.ExpSum != nil, func(t *testing.T) { sweepExp(t, k.ExpSum) })
	sweepVectors(t, run, k)
	run("GemmNT", k.GemmNT != nil, func(t *testing.T) { sweepGemmNT(t, k.GemmNT) })
	run("GemmTN", k.GemmTN != nil, func(t *testing.T) { sweepGemmTN(t, k.GemmTN) })
}

type (
	dot1 = func(dst, rows, q []float32)
	dot2 = func(dst0, dst1, rows, q0, q1 []float32)
	dot4 = func(dst0, dst1, dst2, dst3, rows, q0, q1, q2, q3 []float32)
)

// sweepDots tests the three dot products on every shape: with package ref up to
// the tolerance, among each other and row by row to the bit.
func sweepDots(t *testing.T, one dot1, two dot2, four dot4) {
	m := newMemory(t)
	for _, w := range widths {
		for _, n := range counts {
			ahead := (n + w/2) % 4
			rows := m.normal(n*w, ahead)
			checkDots(m, fmt.Sprintf("%d rows of %d", n, w), n, w, rows, one, two, four, func(i int) []float32 { return rows[i*w : (i+1)*w] })
		}
	}
}

// sweepDotHalves is sweepDots for a table of half width.
func sweepDotHalves(t *testing.T, widen func(uint16) float32, narrow func(float32) uint16,
	one func([]float32, []uint16, []float32),
	two func(_, _ []float32, _ []uint16, _, _ []float32),
	four func(_, _, _, _ []float32, _ []uint16, _, _, _, _ []float32),
) {
	m := newMemory(t)
	for _, w := range widths {
		for _, n := range counts {
			table := m.halves(n*w, (n+w/2)%4, narrow)
			rows := make([]float32, n*w)
			for i, h := range table {
				rows[i] = widen(h)
			}
			part := func(rows []float32, at int) []uint16 { return table[at : at+len(rows)] }
			checkDots(m, fmt.Sprintf("%d rows of %d", n, w), n, w, rows,
				func(dst, some, q []float32) { one(dst, part(some, offset(rows, some)), q) },
				func(dst0, dst1, some, q0, q1 []float32) {
					two(dst0, dst1, part(some, offset(rows, some)), q0, q1)
				},
				func(dst0, dst1, dst2, dst3, some, q0, q1, q2, q3 []float32) {
					four(dst0, dst1, dst2, dst3, part(some, offset(rows, some)), q0, q1, q2, q3)
				},
				func(i int) []float32 { return rows[i*w : (i+1)*w] })
		}
	}
}

// offset returns where part, a slice of all that reaches to its capacity,
// begins.
func offset(all, part []float32) int { return cap(all) - cap(part) }

func checkDots(m *memory, name string, n, w int, rows []float32, one dot1, two dot2, four dot4, row func(i int) []float32) {
	m.t.Helper()
	nan := float32(math.NaN())
	var q, want, got [4][]float32
	for k := range q {
		q[k] = m.normal(w, k)
		want[k] = make([]float32, n)
		ref.DotRows(want[k], rows, q[k])
		got[k] = m.result(n, k, nan)
	}
	one(got[0], rows, q[0])
	for i := range n {
		size := 0.0
		for j, x := range row(i) {
			size += math.Abs(float64(x) * float64(q[0][j]))
		}
		if e := math.Abs(float64(got[0][i]) - float64(want[0][i])); !(e <= Tolerance*size) {
			m.t.Fatalf("%s: row %d is %v, want %v", name, i, got[0][i], want[0][i])
		}
		single := m.result(1, i%4, nan)
		one(single, rows[i*w:(i+1)*w:len(rows)], q[0])
		if single[0] != got[0][i] {
			m.t.Fatalf("%s: row %d alone is %v, not %v", name, i, single[0], got[0][i])
		}
	}
	for k := range q {
		one(got[k], rows, q[k])
	}
	same := func(what string, k int, values []float32) {
		if !slices.Equal(values, got[k]) {
			m.t.Fatalf("%s: %s, query %d is %v, not %v", name, what, k, values, got[k])
		}
	}
	if two != nil {
		a, b := m.result(n, 1, nan), m.result(n, 2, nan)
		two(a, b, rows, q[0], q[1])
		same("two", 0, a)
		same("two", 1, b)
	}
	if four != nil {
		a, b, c, d := m.result(n, 3, nan), m.result(n, 2, nan), m.result(n, 1, nan), m.result(n, 0, nan)
		four(a, b, c, d, rows, q[0], q[1], q[2], q[3])
		same("four", 0, a)
		same("four", 1, b)
		same("four", 2, c)
		same("four", 3, d)
	}
	m.next("%s", name)
}

type (
	axpy1 = func(acc, rows, weights []float32)
	axpy2 = func(acc0, acc1, rows, weights0, weights1 []float32)
	axpy3 = func(acc, rows []float32, index []int32, weights []float32)
)

// sweepAxpy tests the weighted sums of rows on every shape: with plain sums up to
// the tolerance, two at once and one at a time to the bit.
func sweepAxpy(t *testing.T, one axpy1, two axpy2, at axpy3) {
	m := newMemory(t)
	for _, w := range widths {
		for _, n := range counts {
			rows := m.normal(n*w, (n+w/2)%4)
			checkAxpy(m, fmt.Sprintf("%d rows of %d", n, w), n, w, rows, one, two, at)
		}
	}
}

// sweepAxpyHalves is sweepAxpy for a table of half width.
func sweepAxpyHalves(t *testing.T, widen func(uint16) float32, narrow func(float32) uint16,
	one func(acc []float32, rows []uint16, weights []float32),
	two func(acc0, acc1 []float32, rows []uint16, weights0, weights1 []float32),
	at func(acc []float32, rows []uint16, index []int32, weights []float32),
) {
	m := newMemory(t)
	for _, w := range widths {
		for _, n := range counts {
			table := m.halves(n*w, (n+w/2)%4, narrow)
			rows := make([]float32, n*w)
			for i, h := range table {
				rows[i] = widen(h)
			}
			part := func(some []float32) []uint16 {
				from := offset(rows, some)
				return table[from : from+len(some)]
			}
			checkAxpy(m, fmt.Sprintf("%d rows of %d", n, w), n, w, rows,
				func(acc, some, weights []float32) { one(acc, part(some), weights) },
				func(acc0, acc1, some, weights0, weights1 []float32) { two(acc0, acc1, part(some), weights0, weights1) },
				func(acc, some []float32, index []int32, weights []float32) { at(acc, part(some), index, weights) })
		}
	}
}

func checkAxpy(m *memory, name string, n, w int, rows []float32, axpy axpy1, two axpy2, at axpy3) {
	m.t.Helper()
	weights := m.normal(n, n%3)
	acc := m.result(w, w%3, 0)
	old := m.normal(w, 0)
	copy(acc, old)
	axpy(acc, rows, weights)
	for j, got := range acc {
		want, size := float64(old[j]), math.Abs(float64(old[j]))
		for i, a := range weights {
			p := float64(a) * float64(rows[i*w+j])
			want += p
			size += math.Abs(p)
		}
		if e := math.Abs(float64(got) - want); !(e <= Tolerance*size) {
			m.t.Fatalf("%s: column %d is %v, want %v", name, j, got, want)
		}
	}
	// Blocks of 64 rows add up to the same bits.
	blocks := m.result(w, 1, 0)
	copy(blocks, old)
	for lo := 0; lo < n; lo += 64 {
		hi := min(lo+64, n)
		axpy(blocks, rows[lo*w:hi*w:len(rows)], weights[lo:hi])
	}
	if !slices.Equal(acc, blocks) {
		m.t.Fatalf("%s: blocks of 64 give %v, not %v", name, blocks, acc)
	}
	// Two sums at once have the bits of one at a time.
	others := m.normal(n, (n+1)%3)
	second, both0, both1 := m.result(w, 2, 0), m.result(w, 0, 0), m.result(w, 3, 0)
	copy(second, old)
	axpy(second, rows, others)
	copy(both0, old)
	copy(both1, old)
	two(both0, both1, rows, weights, others)
	if !slices.Equal(both0, acc) || !slices.Equal(both1, second) {
		m.t.Fatalf("%s: two sums are %v and %v, not %v and %v", name, both0, both1, acc, second)
	}
	// Rows by an index add up to what a table of them does.
	if n == 0 {
		return
	}
	index, picked := make([]int32, n), make([]float32, 0, n*w)
	for i := range index {
		index[i] = int32(i * 7 % n)
		picked = append(picked, rows[int(index[i])*w:int(index[i]+1)*w]...)
	}
	want, got := m.result(w, 1, 0), m.result(w, 2, 0)
	ref.AxpyRows(want, picked, weights)
	at(got, rows, index, weights)
	for j := range got {
		size := 0.0
		for i, a := range weights {
			size += math.Abs(float64(a) * float64(picked[i*w+j]))
		}
		if e := math.Abs(float64(got[j]) - float64(want[j])); !(e <= 2*Tolerance*size) {
			m.t.Fatalf("%s: column %d of rows by an index is %v, want %v", name, j, got[j], want[j])
		}
	}
	m.next("%s", name)
}
