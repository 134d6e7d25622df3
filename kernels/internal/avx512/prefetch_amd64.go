//go:build !noasm

package avx512

// PrefetchAll makes kernels over float32 rows prefetch all of the next rows, rather than part of them. It does
// not change results. Package simd sets it.
var PrefetchAll bool
