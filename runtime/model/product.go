package model

import (
	"slices"

	"github.com/efoc/efoc/kernels/product"
)

// Matrix returns the rows lo to hi for products of matrices: a view of the numbers as
// they are stored. Rows of which there are only codes are decoded into buf, which grows as
// needed; it may be nil where Type is that of floating-point numbers.
func (t *Table) Matrix(lo, hi int, buf *[]float32) product.Matrix {
	rows, width := hi-lo, t.width
	if !t.dtype.IsFloat() {
		*buf = slices.Grow((*buf)[:0], rows*width)[:rows*width]
		return product.Of(t.decode(lo, hi, *buf), rows, width, width)
	}
	lo, hi = lo*width, hi*width
	switch t.dtype {
	case BFloat16:
		return product.OfBFloat16(t.half[lo:hi], rows, width, width)
	case Float16:
		return product.OfFloat16(t.half[lo:hi], rows, width, width)
	}
	return product.Of(t.f32[lo:hi], rows, width, width)
}
