// Package reuse makes slices in reused memory. It is independent of kernels; it is here for package product and
// the packages above it.
package reuse

// Slice returns n values in the memory of x if that suffices, otherwise zeros in new memory of exactly that
// size. Values in reused memory are undefined.
func Slice[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
