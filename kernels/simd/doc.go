// Package simd holds the primitives that fused sweeps of the entity table are
// made of. It computes what package ref does, in assembly where the machine has
// AVX-512 or AVX2, and checks lengths, which the assembly does not. Package ref
// says what a table, a row and a width are, and what may overlap.
//
// The choice is made once, at start. It depends on the machine, on the build tag
// noasm, which leaves the portable loops only, and on three environment variables:
// EFOC_NOVNNI=1 leaves AVX-512 without products of bytes, EFOC_NOAVX512=1 AVX2 and
// the portable loops, EFOC_NOAVX2=1 the portable loops. Tests change it with Use.
//
// Some processors prefetch well by themselves. On others, by the processor's vendor, kernels
// over rows of float32 prefetch all the rows that come next. EFOC_PREFETCH=1 makes them do so
// everywhere, EFOC_PREFETCH=0 nowhere. EFOC_L2=524288 sets the size of the second-level cache, which the processor
// otherwise says.
//
// On one machine results depend on the operands alone, not on alignment. A dot
// product has the same bits however many rows and queries are done in one call of
// DotRows, DotRows2 or DotRows4, and a weighted sum the same bits in one call of
// AxpyRows as in calls for 64 rows each. GemmNT is tiled in another way, so
// its last bits are its own. Products of 8-bit rows with integer queries have the
// same bits on every machine; avx512vnni, which is avx512 with VNNI, uses it for them and for their
// sums. AVX-512 leaves other 8-bit rows to avx2, and what waits for memory or the cache anyway.
package simd

//go:generate go -C ../_asm run . -dispatch ../simd
