//go:build !noasm

package avx512

// PrefetchAll makes kernels over rows of float32 prefetch all the rows that come next, rather
// than some of what a sweep goes on with. It does not change results. Package simd sets it.
var PrefetchAll bool
