package simd

import (
	"fmt"
	"testing"

	"github.com/efoc/efoc/testdata/long"
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

// shapes iterates over numbers of rows and widths: all of them with ordinary numbers, all widths with few rows
// in the other regimes. By default it takes a fifth, with every fifth width for each number of rows.
func shapes(test func(n, w int, r regime)) {
	for r := range regimes {
		some := []int{1, 2, 3, 5, 8, 65}
		if r == ordinary {
			some = counts
		}
		for i, w := range widths {
			if r != ordinary {
				test(3, w+1, r)
			}
			for j, n := range some {
				if long.Tests() || (i+j)%5 == 0 {
					test(n, w, r)
				}
			}
		}
	}
}

// prefetches runs a test with both settings of prefetching.
func prefetches(t *testing.T, test func(t *testing.T)) {
	was := setPrefetch(true)
	test(t)
	setPrefetch(false)
	test(t)
	setPrefetch(was)
}

// sweepDots tests the three dot products on every shape: against package ref within the tolerance, against each
// other and row by row bit by bit.
func sweepDots(t *testing.T) {
	m := newMemory(t)
	shapes(func(n, w int, r regime) { checkDots(m, r, n, w, m.numbers(n*w, (n+w/2)%4, r)) })
}

func checkDots(m *memory, r regime, n, w int, rows []float32) {
	m.t.Helper()
	name := fmt.Sprintf("%d rows of %d %s numbers", n, w, r)
	var q, got [4][]float32
	for k := range q {
		q[k] = m.numbers(w, k, r)
		got[k] = m.result(n, k, notANumber)
		DotRows(got[k], rows, q[k])
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
		DotRows(single, row, q[0])
		if !sameNumber(single[0], got[0][i]) {
			m.t.Fatalf("%s: row %d alone is %v, not %v", name, i, single[0], got[0][i])
		}
	}
	same := func(what string, k int, values []float32) {
		if !sameNumbers(values, got[k]) {
			m.t.Fatalf("%s: %s, query %d is %v, not %v", name, what, k, values, got[k])
		}
	}
	a, b := m.result(n, 1, notANumber), m.result(n, 2, notANumber)
	DotRows2(a, b, rows, q[0], q[1])
	same("two", 0, a)
	same("two", 1, b)
	var of [4][]float32
	for k := range of {
		of[k] = m.result(n, 3-k, notANumber)
	}
	DotRows4(of[0], of[1], of[2], of[3], rows, q[0], q[1], q[2], q[3])
	for k := range of {
		same("four", k, of[k])
	}
	m.next("%s", name)
}

// sweepAxpy tests the weighted sums of rows on every shape: against plain sums within the tolerance, two sums
// in one call against single ones bit by bit.
func sweepAxpy(t *testing.T) {
	m := newMemory(t)
	shapes(func(n, w int, r regime) { checkAxpy(m, r, n, w, m.numbers(n*w, (n+w/2)%4, r)) })
}

func checkAxpy(m *memory, r regime, n, w int, rows []float32) {
	m.t.Helper()
	name := fmt.Sprintf("%d rows of %d %s numbers", n, w, r)
	weights := m.numbers(n, n%3, r)
	acc := m.result(w, w%3, 0)
	old := m.numbers(w, 0, r)
	copy(acc, old)
	AxpyRows(acc, rows, weights)
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
	// Blocks of 64 rows give identical bits.
	blocks := m.result(w, 1, 0)
	copy(blocks, old)
	for lo := 0; lo < n; lo += 64 {
		hi := min(lo+64, n)
		AxpyRows(blocks, rows[lo*w:hi*w:len(rows)], weights[lo:hi])
	}
	if !sameNumbers(acc, blocks) {
		m.t.Fatalf("%s: blocks of 64 give %v, not %v", name, blocks, acc)
	}
	// Two sums in one call have the bits of single ones.
	others := m.numbers(n, (n+1)%3, r)
	second, both0, both1 := m.result(w, 2, 0), m.result(w, 0, 0), m.result(w, 3, 0)
	copy(second, old)
	AxpyRows(second, rows, others)
	copy(both0, old)
	copy(both1, old)
	AxpyRows2(both0, both1, rows, weights, others)
	if !sameNumbers(both0, acc) || !sameNumbers(both1, second) {
		m.t.Fatalf("%s: two sums are %v and %v, not %v and %v", name, both0, both1, acc, second)
	}
	// Indexed rows give the same sum as a table of them.
	if n == 0 {
		return
	}
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i * 7 % n)
	}
	got := m.result(w, 2, 0)
	copy(got, old)
	AxpyAt(got, rows, index, weights)
	for j := range got {
		if want := column(j, func(i int) int { return int(index[i]) }); !want.holds(got[j]) {
			m.t.Fatalf("%s: column %d of rows by an index is %v, want %v", name, j, got[j], want.value)
		}
	}
	m.next("%s", name)
}
