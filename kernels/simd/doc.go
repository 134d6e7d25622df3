// Package simd holds the primitives of fused sweeps of the entity table. It computes the same as package ref,
// in assembly on machines with AVX-512 or AVX2, and checks lengths, which the assembly does not. Package ref
// defines tables, rows, widths, and the permitted overlaps.
//
// The engine is chosen once, at program start. It depends on the machine, on the build tag noasm, which leaves
// only the portable loops, and on three environment variables: EFOC_NOVNNI=1 disables VNNI products of bytes,
// EFOC_NOAVX512=1 also AVX-512, and EFOC_NOAVX2=1 all assembly. Tests change the engine with Use.
//
// Some processors prefetch well in hardware. On others, determined by vendor, kernels over float32 rows prefetch all
// of the next rows. EFOC_PREFETCH=1 enables this everywhere, EFOC_PREFETCH=0 disables it. Products of bytes prefetch
// rows of tables that come from memory, see Far. EFOC_L2=524288 overrides the size of the second-level cache that the
// processor reports.
//
// On a given machine, results depend only on the operands, not on alignment. A dot product has identical bits
// for any number of rows and queries per call of DotRows, DotRows2 or DotRows4, and a weighted sum identical
// bits in one call of AxpyRows as in calls for 64 rows each. GemmNT is tiled differently, so its last bits may
// differ. Products of 8-bit rows with integer queries have identical bits on every machine; avx512vnni, which
// is avx512 with VNNI, uses VNNI for them and for their sums. The AVX-512 engines use avx2 for other kernels on
// 8-bit rows except AxpyAtI8, and for kernels bound by memory or the cache.
package simd

//go:generate go -C ../_asm run . -dispatch ../simd
