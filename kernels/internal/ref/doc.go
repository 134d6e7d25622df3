// Package ref implements the primitives of fused sweeps of the entity table as portable loops. It is the
// specification: packages avx2 and avx512 compute the same, faster, and package simd chooses among the three.
//
// A table is a row-major slice of rows. A kernel processes a block of rows at a time, few enough to stay in the
// cache between kernels. The width is the length of the query or accumulator, the number of rows the length of
// the results or weights; tables may be longer than the product of the two, and the following numbers may be
// prefetched for the rest of a sweep. Tables are of float32 numbers or 8-bit codes.
//
// Element-wise kernels round as written and give identical bits on all machines. Sums may be computed in any
// order that depends only on the lengths; here dot products are accumulated in float64. Only element-wise
// kernels, ExpSum and ExpMax allow the result to be the same slice as an operand; slices must not overlap
// partially.
//
// Numbers may be infinite or NaN unless a comment says otherwise. Element-wise kernels follow IEEE 754. An
// infinite or NaN term makes its own sum infinite or NaN, as in arithmetic, but no other sum. A sum is as exact
// as float32 allows while the absolute values of its finite terms add up to at most half of the largest
// float32; beyond that a partial sum may overflow, and the result may be infinite or NaN even if the terms
// would cancel. Denormal numbers are not flushed. The sign of a zero sum is undefined.
package ref
