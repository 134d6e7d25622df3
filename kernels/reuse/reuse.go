// Package reuse makes slices in memory that they had before. It knows nothing of kernels; it lies
// here for package product and all above it.
package reuse

// Slice returns n values in the memory of x if that is enough, else zeros in memory of just that
// size. Values that were there before are undefined.
func Slice[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
