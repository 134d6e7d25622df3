// Package avx2 implements the primitives of package ref in assembly, for amd64 with AVX2, FMA and F16C. It
// checks no lengths: package simd does, and contains the tests.
package avx2

//go:generate go -C ../../_asm run . -isa avx2 -family dot
//go:generate go -C ../../_asm run . -isa avx2 -family axpy
//go:generate go -C ../../_asm run . -isa avx2 -family exp
//go:generate go -C ../../_asm run . -isa avx2 -family vector
//go:generate go -C ../../_asm run . -isa avx2 -family gemm
//go:generate go -C ../../_asm run . -isa avx2 -family train
//go:generate go -C ../../_asm run . -isa avx2 -family int8
