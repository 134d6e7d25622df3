package ref

import "math"

// Product returns in float64 the element Σ_l a[l]·b[l] of a product of matrices, for a
// row of the one and a column of the other, and the sum of the absolute values of its
// terms: what errors of products are measured by.
func Product(a, b []float32) (sum, size float64) {
	for l, x := range a {
		term := float64(x) * float64(b[l])
		sum += term
		size += math.Abs(term)
	}
	return sum, size
}
