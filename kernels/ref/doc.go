// Package ref holds the primitives that fused sweeps of the entity table are
// made of, as portable loops. It is the specification: packages avx2 and avx512
// compute the same, faster, and package simd chooses among the three.
//
// A table is a slice of rows, row-major, and a kernel is handed some rows of it
// at a time: few enough that they stay in cache from one kernel to the next.
// The width is the length of the query or accumulator, the number of rows that
// of the results or weights; tables may be longer than their product, and what follows
// them may be prefetched, as sweeps go on there. Tables are of float32 numbers or of
// 8-bit codes; numbers of 16 bits, bfloat16 (BF16) or IEEE float16 (F16), are only converted.
//
// Element-wise kernels round as written and give the same bits everywhere. Sums
// may be taken in any order that depends on the lengths alone; here dot
// products are carried in float64. Only element-wise kernels, ExpSum and ExpMax allow
// the result to be the same slice as an operand; nothing may overlap in part.
//
// Numbers may be infinite or NaN wherever a comment does not say otherwise. An
// element-wise kernel computes with them as IEEE 754 says. In a sum, a term that is
// infinite or NaN makes it infinite or NaN, as in arithmetic, and no other sum. A
// sum is as exact as float32 allows while the absolute values of its finite terms
// add up to half of the largest float32; beyond that a partial sum may overflow, and
// the result may be infinite or NaN though the terms would cancel. Denormal numbers
// count. Of a zero sum the sign is undefined.
package ref
