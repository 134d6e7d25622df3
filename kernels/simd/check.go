package simd

import "fmt"

// atLeast panics unless a slice has the length that an operation needs.
func atLeast(length, needed int) {
	if length < needed {
		short(length, needed)
	}
}

func short(length, needed int) {
	panic(fmt.Sprintf("simd: slice of %d where the lengths of the others ask for %d", length, needed))
}

// even panics if the width of a half-width table is odd.
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
