// Package product multiplies matrices, for batches of queries and for training. It computes C += A·B, where A
// and B are packed once and reused: into panels of bfloat16 numbers if the unit multiplies these, otherwise
// into the format of package simd's float32 products.
//
//	Of, OfExact                 numbers               -> Matrix, a view
//	Left.Pack, Right.Pack       Matrix, Terms         -> operand
//	Mul, MulAdd, MulT           operands              -> float32 numbers
//	Integers, Totals            rows of two bytes     -> scores, weighted sums (AMX-INT8)
//
// The unit is chosen once, at the first product: amx (TDPBF16PS) if the machine has AMX and the system permits
// its use, avx512bf16 (VDPBF16PS) if the machine has AVX512_BF16, otherwise float32. An instruction of
// avx512bf16 does only twice as many multiplications as one of float32, so that unit uses bfloat16 only for
// products of one term. EFOC_NOAMX=1 disables amx, EFOC_NOBF16=1 both, as do package simd's switches for
// AVX-512. EFOC_EMULATEAMX=1 emulates amx in plain Go, slowly, on any machine, so that tests can examine its
// effect on results. Tests change the unit with Use.
//
// Products are fastest if each row of C starts at a multiple of 64 bytes and the stride is not a multiple of
// several kilobytes.
//
// # Error
//
// A float32 number is split into terms of 8 significant bits each, each rounding the remainder of the previous
// terms: for x below 2 the remainder is at most 2^-8 after one term, 2^-17 after two, and zero after three.
// Only products of terms whose order, the sum of their indices, is below the number of terms are added. Let S
// be Σ|a||b|, the sum of the absolute products of an element of C (in MulAdd, plus the absolute value of C
// itself). The split changes an element by at most S times
//
//	        products added                error of the split
//	terms   of both Of   of one OfExact   of both Of           of one OfExact
//	One              1                1   2^-7·(1 + 2^-9)      2^-8
//	Two              3                2   2^-15·(1 + 2^-7)     2^-17
//	Three            6                3   2^-24·(1 + 2^-7)     none
//
// in addition to the error of float32 sums: for depth k and p products, S·2^-24·(k·p/32 + 18) in amx and
// S·2^-24·(k·p + 1) in avx512bf16. In float32 there is no split, and the error of the sums is S·2^-24·(k + 1).
// So Three is as accurate as float32.
//
// Numbers must be finite and at most 2^127; otherwise the elements that depend on them are undefined. Units that
// multiply terms treat numbers and terms below 2^-126 as zero. On a given machine and unit, an element of C
// depends only on its row of A, its column of B, and in MulAdd its previous value; only MulT in unit float32 may
// differ in the last bits if the lines of both operands and the columns of the product are contiguous.
package product
