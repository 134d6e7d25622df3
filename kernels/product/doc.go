// Package product multiplies matrices: one family of products for batches of queries
// and for training. It computes C += A·B, where A and B are packed once and used as
// often as needed: into panels of bfloat16 numbers where the unit multiplies these, else into
// what package simd's float32 products read.
//
//	Of, OfExact                 numbers               -> Matrix, a view
//	Left.Pack, Right.Pack       Matrix, Terms         -> operand
//	Mul, MulAdd, MulT           operands              -> float32 numbers
//	Integers, Totals            rows of two bytes     -> scores, weighted sums (AMX-INT8)
//
// The unit is chosen once, at the first product: amx (TDPBF16PS) where the machine has
// AMX and the system lets the process use it, avx512bf16 (VDPBF16PS) where it has
// AVX512_BF16, else float32. An instruction of avx512bf16 multiplies twice as many numbers
// as one of float32, so that unit uses bfloat16 for products of one term only.
// EFOC_NOAMX=1 leaves out amx, EFOC_NOBF16=1 both, as do package simd's switches for
// AVX-512. EFOC_EMULATEAMX=1 computes in plain Go, slowly, what amx computes, on any
// machine: tests see what AMX does to results. Tests change the unit with Use.
//
// Products go fastest where each row of C begins a line of 64 bytes, and the distance
// of rows is not a multiple of some kilobytes.
//
// # Error
//
// A float32 number is split into terms of 8 significant bits each, each term rounding what the terms
// before it left: for x below 2 the remainder is at most 2^-8 after one term, 2^-17 after two, and
// nothing after three. Only products of terms are added whose order, the sum of the places of the two,
// is below the number of terms. Let S be Σ|a||b|, the sum of the absolute products of an element of C
// (in MulAdd, plus the absolute value of C itself). Where terms are used an element is off by at most
// S times
//
//	        products added                error of the split
//	terms   of both Of   of one OfExact   of both Of           of one OfExact
//	One              1                1   2^-7·(1 + 2^-9)      2^-8
//	Two              3                2   2^-15·(1 + 2^-7)     2^-17
//	Three            6                3   2^-24·(1 + 2^-7)     none
//
// and besides by what sums in float32 are off: for
// depth k and p products, S·2^-24·(k·p/32 + 18) in amx and S·2^-24·(k·p + 1) in
// avx512bf16. In float32 there is no split, and the sums are off by S·2^-24·(k + 1). So
// Three has the quality of float32 products.
//
// Numbers are finite and at most 2^127; where one is not, the elements that depend on
// it are undefined. Units that multiply terms take numbers and terms below 2^-126 for zeros. On one machine and
// unit an element of C depends on its row of A, its column of B, and in MulAdd on what it
// was, not on what else is in the operands; only MulT in unit float32 has other last bits
// where the lines of both operands and the columns of the product follow one another.
package product
