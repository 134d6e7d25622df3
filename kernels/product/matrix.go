package product

import "fmt"

// A Matrix is a view of numbers: it does not copy them.
type Matrix struct {
	rows, cols int
	stride     int  // from one row, or column if transposed, to the next
	transposed bool // numbers of a column, not of a row, are neighbors
	numbers    []float32
	exact      bool // they are bfloat16 numbers
}

// Of returns rows of cols numbers, stride apart.
func Of(x []float32, rows, cols, stride int) Matrix {
	check(len(x), rows, cols, stride)
	return Matrix{rows: rows, cols: cols, stride: stride, numbers: x}
}

// OfExact is Of for numbers of at most 8 significant bits, such as codes of 8 bits and bfloat16
// numbers: one term stands for each.
func OfExact(x []float32, rows, cols, stride int) Matrix {
	m := Of(x, rows, cols, stride)
	m.exact = true
	return m
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
	if m.exact {
		return 1
	}
	return int(most)
}
