package quant

import (
	"math"

	"github.com/efoc/efoc/kernels/internal/ref"
)

// A Query is a query in 16-bit integers, to be multiplied with rows of codes.
type Query struct {
	Packed []int16 // two times the Columns of the rows, as DotRowsI8 expects
	Scale  float32 // the query is Scale times the first half of Packed, up to Residual

	norm, residual float64 // ‖q‖, and ‖q − q̂‖ where q̂ is the query in integers
}

// Limit returns the largest integer of a query for rows of the given width: the largest 16-bit integer for
// which sums of products with 8-bit codes, and of high bytes with low bytes, fit in 32 bits: 127x + 128(x/256 +
// 1/2) ≤ 128(x + 1) for each column. Up to 512 columns that is 32512.
func Limit(width int) int {
	return min(32512, math.MaxInt32/(128*max(1, Columns(width)))-1)
}

// Set quantises the numbers x, at most as many as the rows have columns. It returns false, and leaves q
// unchanged, if a number is not finite or ‖x‖ exceeds half of the largest float32. It does not allocate.
func (q *Query) Set(x []float32) bool {
	size, ok := sizeOf(x)
	norm := 0.0
	for _, v := range x {
		norm += float64(v) * float64(v)
	}
	norm = math.Sqrt(norm)
	if !ok || norm > largest {
		return false
	}
	width := len(q.Packed) / 2
	limit := Limit(width)
	q.Scale = step(size, limit)
	scale := float64(q.Scale)
	inverse := 0.0
	if scale > 0 {
		inverse = 1 / scale
	}
	residual := 0.0
	for j, v := range x {
		c := math.RoundToEven(float64(v) * inverse) // at most limit: so is the exact quotient
		q.Packed[j] = int16(c)
		d := float64(v) - scale*c
		residual += float64(d * d)
	}
	clear(q.Packed[len(x):width])
	q.norm, q.residual = norm, math.Sqrt(residual)
	ref.PackQuery(q.Packed)
	return true
}

// Bound returns a and b such that a kernel's product of a row with q differs from the product of the exact row
// with the exact query by at most a·‖x − x̂‖ + b·‖x‖. ‖x − x̂‖ is the row's residual, and ‖x‖ needs a relative
// accuracy of only 10⁻⁶. The bound may be evaluated in float32, whose rounding is included: for all rows at
// once, that takes two calls of ScaleAdd. By Cauchy and Schwarz
//
//	|⟨x,q⟩ − ⟨x̂,q̂⟩| ≤ ‖x − x̂‖·‖q‖ + ‖x̂‖·‖q − q̂‖,  ‖x̂‖ ≤ ‖x‖ + ‖x − x̂‖,
//
// and the kernel rounds to float32 once. Errors by underflow below 2⁻¹²⁶ are not included.
func (q *Query) Bound() (a, b float32) {
	rounding := 0x1p-23 * (q.norm + q.residual)
	return roundUp((q.norm + q.residual + rounding) * slack), roundUp((q.residual + rounding) * slack)
}

// slack allows for the rounding of norms and of the evaluation of a bound in float32.
const slack = 1 + 0x1p-18
