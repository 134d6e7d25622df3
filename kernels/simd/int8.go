package simd

import "fmt"

// columns panics unless numbers, parts times the width of an 8-bit table, is a multiple of blocks of 64
// columns.
func columns(numbers, parts int) {
	if numbers%(64*parts) != 0 {
		panic(fmt.Sprintf("simd: %d numbers, want a multiple of %d: rows of 8 bits have a multiple of 64 columns", numbers, 64*parts))
	}
}
