// Package kernels holds the loops in which plans spend their time: sweeps of the entity table, sparse products
// with the adjacency, and element-wise operations on fuzzy vectors. All data are float32; sums are accumulated
// with more precision or in blocks, so that rounding errors stay far below the tolerance of the semantics.
//
//	kernel          computes                                   reads
//	LoopScores      dst[e] = ±⟨r⊗E_e, E_e⟩                     the table once
//	Project         dst = ±r⊗x or ±conj(r)⊗x                   2d numbers
//	Traverse        dst[t] = Σ_h x[h]·M[h,t]                   a relation's edges
//	Neighbors       dst = indicator of a list                  the list
//	Loops           dst[e] = M[e,e]                            a relation's edges
//	Complement      dst = c − x                                n numbers
//	Mul, Mix, Max, ScaleMax                                    n numbers
//
// Inner products of rows, weighted sums of rows and similar primitives of sweeps are in package simd; products
// of larger matrices are in package product.
//
// Package quant has tables of 8-bit codes; their kernels are in package simd and exact in integers where
// float32 kernels round.
//
// dst may be the same slice as an operand in every kernel of the last group. The package depends on neither
// graphs nor models nor plans: it takes slices. No kernel allocates.
package kernels
