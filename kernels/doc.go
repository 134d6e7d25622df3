// Package kernels holds the loops that plans spend their time in: sweeps of
// the entity table, sparse products with the adjacency, and element-wise work
// on fuzzy vectors. Everything is float32; sums are carried wider or in blocks
// so that rounding stays far below what the semantics allows.
//
//	kernel          computes                                   reads
//	LoopScores      dst[e] = ±⟨r⊗E_e, E_e⟩                     the table once
//	Project         dst = ±r⊗x or ±conj(r)⊗x                   2d numbers
//	Relation        both of these, r being complex or a matrix the numbers of r
//	Traverse        dst[t] = Σ_h x[h]·M[h,t]                   a relation's edges
//	Neighbors       dst = indicator of a list                  the list
//	Loops           dst[e] = M[e,e]                            a relation's edges
//	Complement      dst = c − x                                n numbers
//	Mul, Mix, Max, ScaleMax                                    n numbers
//
// Inner products of rows, weighted sums of rows and the like, which sweeps of the
// table are made of, are in package simd; products of matrices of some size are in
// package product.
//
// Package quant has tables of 8-bit codes; their kernels are in package simd, exact in integers where
// float32 kernels round.
//
// dst may be the same slice as an operand in every kernel of the last group. The package
// knows neither graphs nor models nor plans: it takes slices. No kernel allocates.
package kernels
