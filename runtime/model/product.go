package model

import "github.com/efoc/efoc/kernels/product"

// Matrix returns the rows lo to hi for products of matrices: a view of the numbers as
// they are stored.
func (t *Table) Matrix(lo, hi int) product.Matrix {
	rows, width := hi-lo, t.width
	lo, hi = lo*width, hi*width
	switch t.dtype {
	case BFloat16:
		return product.OfBFloat16(t.half[lo:hi], rows, width, width)
	case Float16:
		return product.OfFloat16(t.half[lo:hi], rows, width, width)
	}
	return product.Of(t.f32[lo:hi], rows, width, width)
}
