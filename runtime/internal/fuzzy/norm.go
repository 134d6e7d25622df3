package fuzzy

import "github.com/efoc/efoc/kernels/simd"

// Norm is a t-norm T, the degree of a conjunction, with its dual S, the degree of a disjunction. Pruning rows and
// pushing maxima is correct for every t-norm: T is monotone, at most the smaller of its operands, and T(x,1) = x.
// Another t-norm needs an implementation of Norm, and changes to package reference, the device kernels, and
// norm_test.go, which runs plans by the minimum.
type Norm interface {
	// Both returns T(x, y).
	Both(x, y float32) float32
	// Either returns S(x, y).
	Either(x, y float32) float32
	// All sets dst to T of x and y, entry by entry.
	All(dst, x, y []float32)
	// Scale sets dst to T of x and the one number y.
	Scale(dst, x []float32, y float32)
	// Sum sets dst, which is neither x nor y, to S of them, entry by entry.
	Sum(dst, x, y []float32)
}

// Product is the product t-norm, and the probabilistic sum.
type Product struct{}

func (Product) Both(x, y float32) float32         { return x * y }
func (Product) Either(x, y float32) float32       { return x + (1-x)*y }
func (Product) All(dst, x, y []float32)           { simd.Mul(dst, x, y) }
func (Product) Scale(dst, x []float32, y float32) { simd.Scale(dst, x, y) }

func (Product) Sum(dst, x, y []float32) {
	simd.Scale(dst, x, -1)
	simd.AddConst(dst, dst, 1)
	simd.Mul(dst, dst, y)
	simd.Add(dst, dst, x)
}
