// Package avx2 holds the primitives of package ref in assembly, for amd64
// machines with AVX2, FMA and F16C. It checks no lengths: package simd does.
package avx2
