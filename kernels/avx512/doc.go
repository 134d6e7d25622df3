// Package avx512 holds the primitives of package ref in assembly, for amd64
// machines with AVX-512 F, BW, DQ and VL. It checks no lengths: package simd
// does.
package avx512
