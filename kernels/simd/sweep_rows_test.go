package simd

import (
	"fmt"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// tolerance bounds the error of sums of products, relative to the sum of their
// absolute values.
const tolerance = 1e-6

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

// shapes goes through numbers of rows and widths that are multiples of step: all of
// them with ordinary numbers, all widths with few rows in the other regimes.
func shapes(step int, test func(n, w int, r regime)) {
	for r := range regimes {
		some := []int{1, 2, 3, 5, 8, 65}
		if r == ordinary {
			some = counts
		}
		for _, w := range widths {
			if r != ordinary && step == 1 {
				test(3, w+1, r)
			}
			for _, n := range some {
				test(n, w, r)
			}
		}
	}
}

// sweep tests every kernel of k that is not nil: over lengths and alignments, against package ref.
// Operands end where readable memory ends and results have guard words on both sides.
func sweep(t *testing.T, k kernelSet) {
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
	run("ExpMax", k.ExpMax != nil, func(t *testing.T) { sweepExpMax(t, k.ExpMax) })
	sweepVectors(t, run, k)
	run("GemmNT", k.GemmNT != nil, func(t *testing.T) { sweepGemmNT(t, k.GemmNT) })
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
	shapes(1, func(n, w int, r regime) {
		rows := m.numbers(n*w, (n+w/2)%4, r)
		checkDots(m, r, n, w, rows, one, two, four)
	})
}

// sweepDotHalves is sweepDots for a table of half width.
func sweepDotHalves(t *testing.T, widen func(uint16) float32, narrow func(float32) uint16,
	one func([]float32, []uint16, []float32),
	two func(_, _ []float32, _ []uint16, _, _ []float32),
	four func(_, _, _, _ []float32, _ []uint16, _, _, _, _ []float32),
) {
	m := newMemory(t)
	shapes(2, func(n, w int, r regime) {
		table := m.halves(n*w, (n+w/2)%4, r, narrow)
		rows := make([]float32, n*w)
		for i, h := range table {
			rows[i] = widen(h)
		}
		part := func(some []float32) []uint16 {
			from := offset(rows, some)
			return table[from : from+len(some)]
		}
		checkDots(m, r, n, w, rows,
			func(dst, some, q []float32) { one(dst, part(some), q) },
			func(dst0, dst1, some, q0, q1 []float32) { two(dst0, dst1, part(some), q0, q1) },
			func(dst0, dst1, dst2, dst3, some, q0, q1, q2, q3 []float32) {
				four(dst0, dst1, dst2, dst3, part(some), q0, q1, q2, q3)
			})
	})
}

// offset returns where part, a slice of all that reaches to its capacity,
// begins.
func offset(all, part []float32) int { return cap(all) - cap(part) }

func checkDots(m *memory, r regime, n, w int, rows []float32, one dot1, two dot2, four dot4) {
	m.t.Helper()
	name := fmt.Sprintf("%d rows of %d %s numbers", n, w, r)
	var q, got [4][]float32
	for k := range q {
		q[k] = m.numbers(w, k, r)
		got[k] = m.result(n, k, notANumber)
		one(got[k], rows, q[k])
	}
	for i := range n {
		row := rows[i*w : (i+1)*w : len(rows)]
		var want sum
		for j, x := range row {
			want.add(float64(x) * float64(q[0][j]))
		}
		if !want.holds(got[0][i]) {
			m.t.Fatalf("%s: row %d is %v, want %v", name, i, got[0][i], want.value)
		}
		single := m.result(1, i%4, notANumber)
		one(single, row, q[0])
		if !sameNumber(single[0], got[0][i]) {
			m.t.Fatalf("%s: row %d alone is %v, not %v", name, i, single[0], got[0][i])
		}
	}
	same := func(what string, k int, values []float32) {
		if !sameNumbers(values, got[k]) {
			m.t.Fatalf("%s: %s, query %d is %v, not %v", name, what, k, values, got[k])
		}
	}
	if two != nil {
		a, b := m.result(n, 1, notANumber), m.result(n, 2, notANumber)
		two(a, b, rows, q[0], q[1])
		same("two", 0, a)
		same("two", 1, b)
	}
	if four != nil {
		var of [4][]float32
		for k := range of {
			of[k] = m.result(n, 3-k, notANumber)
		}
		four(of[0], of[1], of[2], of[3], rows, q[0], q[1], q[2], q[3])
		for k := range of {
			same("four", k, of[k])
		}
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
	shapes(1, func(n, w int, r regime) {
		checkAxpy(m, r, n, w, m.numbers(n*w, (n+w/2)%4, r), one, two, at)
	})
}

// sweepAxpyHalves is sweepAxpy for a table of half width.
func sweepAxpyHalves(t *testing.T, widen func(uint16) float32, narrow func(float32) uint16,
	one func(acc []float32, rows []uint16, weights []float32),
	two func(acc0, acc1 []float32, rows []uint16, weights0, weights1 []float32),
	at func(acc []float32, rows []uint16, index []int32, weights []float32),
) {
	m := newMemory(t)
	shapes(2, func(n, w int, r regime) {
		table := m.halves(n*w, (n+w/2)%4, r, narrow)
		rows := make([]float32, n*w)
		for i, h := range table {
			rows[i] = widen(h)
		}
		part := func(some []float32) []uint16 {
			from := offset(rows, some)
			return table[from : from+len(some)]
		}
		checkAxpy(m, r, n, w, rows,
			func(acc, some, weights []float32) { one(acc, part(some), weights) },
			func(acc0, acc1, some, weights0, weights1 []float32) { two(acc0, acc1, part(some), weights0, weights1) },
			func(acc, some []float32, index []int32, weights []float32) { at(acc, part(some), index, weights) })
	})
}

func checkAxpy(m *memory, r regime, n, w int, rows []float32, axpy axpy1, two axpy2, at axpy3) {
	m.t.Helper()
	name := fmt.Sprintf("%d rows of %d %s numbers", n, w, r)
	weights := m.numbers(n, n%3, r)
	acc := m.result(w, w%3, 0)
	old := m.numbers(w, 0, r)
	copy(acc, old)
	axpy(acc, rows, weights)
	column := func(j int, row func(i int) int) (want sum) {
		want.add(float64(old[j]))
		for i, a := range weights {
			want.add(float64(a) * float64(rows[row(i)*w+j]))
		}
		return want
	}
	for j, got := range acc {
		if want := column(j, func(i int) int { return i }); !want.holds(got) {
			m.t.Fatalf("%s: column %d is %v, want %v", name, j, got, want.value)
		}
	}
	// Blocks of 64 rows add up to the same bits.
	blocks := m.result(w, 1, 0)
	copy(blocks, old)
	for lo := 0; lo < n; lo += 64 {
		hi := min(lo+64, n)
		axpy(blocks, rows[lo*w:hi*w:len(rows)], weights[lo:hi])
	}
	if !sameNumbers(acc, blocks) {
		m.t.Fatalf("%s: blocks of 64 give %v, not %v", name, blocks, acc)
	}
	// Two sums at once have the bits of one at a time.
	others := m.numbers(n, (n+1)%3, r)
	second, both0, both1 := m.result(w, 2, 0), m.result(w, 0, 0), m.result(w, 3, 0)
	copy(second, old)
	axpy(second, rows, others)
	copy(both0, old)
	copy(both1, old)
	two(both0, both1, rows, weights, others)
	if !sameNumbers(both0, acc) || !sameNumbers(both1, second) {
		m.t.Fatalf("%s: two sums are %v and %v, not %v and %v", name, both0, both1, acc, second)
	}
	// Rows by an index add up to what a table of them does.
	if n == 0 {
		return
	}
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i * 7 % n)
	}
	got := m.result(w, 2, 0)
	copy(got, old)
	at(got, rows, index, weights)
	for j := range got {
		if want := column(j, func(i int) int { return int(index[i]) }); !want.holds(got[j]) {
			m.t.Fatalf("%s: column %d of rows by an index is %v, want %v", name, j, got[j], want.value)
		}
	}
	m.next("%s", name)
}
