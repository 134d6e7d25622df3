// Package avx512 implements the primitives of package ref in assembly, for amd64 with AVX-512 F, BW, DQ and VL
// and BMI2. It checks no lengths: package simd does, and contains the tests.
package avx512

//go:generate go -C ../../_asm run . -isa avx512 -family dot
//go:generate go -C ../../_asm run . -isa avx512 -family axpy
//go:generate go -C ../../_asm run . -isa avx512 -family exp
//go:generate go -C ../../_asm run . -isa avx512 -family vector
//go:generate go -C ../../_asm run . -isa avx512 -family gemm
//go:generate go -C ../../_asm run . -isa avx512 -family train
//go:generate go -C ../../_asm run . -isa avx512 -family int8
