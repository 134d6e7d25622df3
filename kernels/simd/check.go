package simd

import "fmt"

// atLeast panics if a slice is shorter than needed.
func atLeast(length, needed int) {
	if length < needed {
		short(length, needed)
	}
}

func short(length, needed int) {
	panic(fmt.Sprintf("simd: slice of %d where the lengths of the others ask for %d", length, needed))
}

// even panics if an embedding has an odd width.
func even(width int) {
	if width%2 != 0 {
		panic(fmt.Sprintf("simd: odd width %d", width))
	}
}

// notNegative panics if a matrix has a negative size.
func notNegative(m, n, k int) {
	if m|n|k < 0 {
		panic(fmt.Sprintf("simd: negative size in %d×%d×%d", m, n, k))
	}
}

// rowsWithin panics if an index exceeds the rows of the table, a slice of the given length.
func rowsWithin(index []int32, length, width int) {
	for _, i := range index {
		if i < 0 || int(i) >= length/max(1, width) && width > 0 {
			panic(fmt.Sprintf("simd: row %d of a table of %d numbers, %d a row", i, length, width))
		}
	}
}

// view panics unless the views of Gemm lie inside their slices and n is a multiple of 16.
func view(c, a, b []float32, m, n, k, cRow, aRow, aCol, bRow int) {
	notNegative(m, n, k)
	if n%16 != 0 || cRow|aRow|aCol|bRow < 0 {
		panic(fmt.Sprintf("simd: view of %d columns, strides %d, %d, %d and %d", n, cRow, aRow, aCol, bRow))
	}
	if m == 0 || n == 0 || k == 0 {
		return
	}
	atLeast(len(c), (m-1)*cRow+n)
	atLeast(len(a), (m-1)*aRow+(k-1)*aCol+1)
	atLeast(len(b), (k-1)*bRow+n)
}
