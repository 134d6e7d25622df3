package quant

import (
	"math"

	"github.com/efoc/efoc/kernels/ref"
)

// A Query is a query in 16-bit integers, to be multiplied with rows of 8 and 4 bits.
type Query struct {
	Packed []int16 // two times the padded width, as DotRowsI8 takes it
	Scale  float32 // the query is Scale times the first half of Packed, up to Residual

	norm, residual float64 // ‖q‖, and ‖q − q̂‖ where q̂ is the query in integers
}

// NewQuery returns a query for rows of the given width, which Set gives its numbers.
func NewQuery(width int) *Query { return &Query{Packed: make([]int16, 2*Columns(width))} }

// Limit returns the largest integer of a query for rows of the given width: as large as
// 16 bits allow where sums of products with 8-bit codes must fit in 32. Up to 520 columns
// that is 32512.
func Limit(width int) int {
	return min(32512, math.MaxInt32/(largestCode8*max(1, Columns(width))))
}

// Set makes q stand for the numbers x, at most as many as the rows have columns. It reports
// false, and leaves q as it was, if a number is not finite or exceeds half of the largest
// float32. It does not allocate.
func (q *Query) Set(x []float32) bool {
	size, ok := sizeOf(x)
	if !ok {
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
	norm, residual := 0.0, 0.0
	for j, v := range x {
		c := math.RoundToEven(float64(v) * inverse) // at most limit: so is the exact quotient
		q.Packed[j] = int16(c)
		d := float64(v) - scale*c
		norm += float64(v) * float64(v)
		residual += float64(d * d)
	}
	clear(q.Packed[len(x):width])
	q.norm, q.residual = math.Sqrt(norm), math.Sqrt(residual)
	ref.PackQuery(q.Packed)
	return true
}

// Bound returns how far the product of a row with q, which a kernel gave as score, can be
// from the product of the exact row with the exact query. residual is the row's, norm is
// ‖x‖ of the exact row up to a millionth. By Cauchy and Schwarz
//
//	|⟨x,q⟩ − ⟨x̂,q̂⟩| ≤ ‖x − x̂‖·‖q‖ + ‖x̂‖·‖q − q̂‖,  ‖x̂‖ ≤ ‖x‖ + ‖x − x̂‖,
//
// and the kernel rounds to float32 once.
func (q *Query) Bound(residual, norm, score float32) float32 {
	r, n := float64(residual), float64(norm)*(1+0x1p-19)
	return roundUp(r*q.norm + (n+r)*q.residual + math.Abs(float64(score))*0x1p-23 + math.SmallestNonzeroFloat32)
}

// SumBound returns a bound on ‖Σ_i weights[i]·(x_i − x̂_i)‖, the error of a weighted sum
// of rows that have the given residuals. What rounding to float32 adds is not in it.
func SumBound(weights, residuals []float32) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += math.Abs(float64(w)) * float64(residuals[i])
	}
	return sum * (1 + 0x1p-32)
}
