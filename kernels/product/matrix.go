package product

import (
	"fmt"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/kernels/simd"
)

// A Matrix is a view of numbers: it does not copy them.
type Matrix struct {
	rows, cols int
	stride     int  // from one row, or column if transposed, to the next
	transposed bool // numbers of a column are neighbors, not those of a row
	wide       []float32
	half       []uint16
	float16    bool
	exact      bool // wide numbers are bfloat16 numbers
}

// Of returns rows of cols numbers, stride apart.
func Of(x []float32, rows, cols, stride int) Matrix {
	check(len(x), rows, cols, stride)
	return Matrix{rows: rows, cols: cols, stride: stride, wide: x}
}

// OfBFloat16 is Of for bfloat16 numbers.
func OfBFloat16(x []uint16, rows, cols, stride int) Matrix {
	check(len(x), rows, cols, stride)
	return Matrix{rows: rows, cols: cols, stride: stride, half: x}
}

// OfExact is Of for numbers of at most 8 significant bits, such as codes of 8 bits: one term stands
// for each, as if they were of type bfloat16.
func OfExact(x []float32, rows, cols, stride int) Matrix {
	m := Of(x, rows, cols, stride)
	m.exact = true
	return m
}

// OfFloat16 is Of for IEEE float16 numbers.
func OfFloat16(x []uint16, rows, cols, stride int) Matrix {
	check(len(x), rows, cols, stride)
	return Matrix{rows: rows, cols: cols, stride: stride, half: x, float16: true}
}

// T returns the transposition of m.
func (m Matrix) T() Matrix {
	m.rows, m.cols, m.transposed = m.cols, m.rows, !m.transposed
	return m
}

// check panics unless rows of cols numbers, stride apart, lie within n numbers.
func check(n, rows, cols, stride int) {
	switch {
	case rows < 0 || cols < 0 || stride < cols:
		panic(fmt.Sprintf("product: %d rows of %d numbers, %d apart", rows, cols, stride))
	case rows > 0 && cols > 0 && (rows-1)*stride+cols > n:
		panic(fmt.Sprintf("product: %d rows of %d numbers, %d apart, in %d", rows, cols, stride, n))
	}
}

// terms returns how many bfloat16 numbers a number of m is split into, of at most most.
func (m *Matrix) terms(most Terms) int {
	switch {
	case m.exact:
		return 1
	case m.half == nil:
		return int(most)
	case m.float16:
		return min(int(most), 2) // 11 bits are two terms
	}
	return 1
}

// widen sets dst to the numbers of m from that place of its slice on.
func (m *Matrix) widen(dst []float32, at int) {
	if m.half == nil {
		copy(dst, m.wide[at:])
		return
	}
	// Adding many numbers to 0 is faster than converting them one by one. Package simd
	// takes an even number.
	clear(dst)
	x, even := m.half[at:], len(dst)&^1
	add, last := simd.AxpyRowsBF16, ref.BF16
	if m.float16 {
		add, last = simd.AxpyRowsF16, ref.F16
	}
	add(dst[:even], x[:even], one)
	if even < len(dst) {
		dst[even] = last(x[even])
	}
}

var one = []float32{1}
