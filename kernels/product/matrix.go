package product

import "fmt"

// A Matrix is a view of numbers, without a copy.
type Matrix struct {
	rows, cols int
	stride     int  // distance between rows, or columns if transposed
	transposed bool // numbers of a column, not of a row, are contiguous
	numbers    []float32
	exact      bool // the numbers are bfloat16
}

// Of returns rows of cols numbers, stride apart.
func Of(x []float32, rows, cols, stride int) Matrix {
	check(len(x), rows, cols, stride)
	return Matrix{rows: rows, cols: cols, stride: stride, numbers: x}
}

// OfExact is Of for numbers of at most 8 significant bits, such as 8-bit codes and bfloat16 numbers, which need
// one term each.
func OfExact(x []float32, rows, cols, stride int) Matrix {
	m := Of(x, rows, cols, stride)
	m.exact = true
	return m
}

// T returns the transpose of m.
func (m Matrix) T() Matrix {
	m.rows, m.cols, m.transposed = m.cols, m.rows, !m.transposed
	return m
}

// check panics unless rows of cols numbers, stride apart, fit into n numbers.
func check(n, rows, cols, stride int) {
	switch {
	case rows < 0 || cols < 0 || stride < cols:
		panic(fmt.Sprintf("product: %d rows of %d numbers, %d apart", rows, cols, stride))
	case rows > 0 && cols > 0 && (rows-1)*stride+cols > n:
		panic(fmt.Sprintf("product: %d rows of %d numbers, %d apart, in %d", rows, cols, stride, n))
	}
}

// terms returns the number of bfloat16 terms per number of m, at most most.
func (m *Matrix) terms(most Terms) int {
	if m.exact {
		return 1
	}
	return int(most)
}

// Terms is the number of bfloat16 terms of a float32 number: see the package comment for the error.
type Terms int

// The possible numbers of terms.
const (
	One Terms = 1 + iota
	Two
	Three
)

// tileLines is the number of rows of a tile.
const tileLines = 16

// mode says how a product is stored.
type mode struct {
	add        bool // the product is added to c
	transposed bool // c holds the transpose
}
