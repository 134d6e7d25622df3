package table

import (
	"slices"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
)

// Matrix returns the rows lo to hi for products of matrices. Rows of float32 are a view. Others are converted into
// buf, which grows as needed; it may be nil if Type is Float32.
func (t *Table) Matrix(lo, hi int, buf *[]float32) product.Matrix {
	rows := hi - lo
	if t.dtype == Float32 {
		return product.Of(t.f32[lo*t.width:hi*t.width], rows, t.width, t.width)
	}
	*buf = slices.Grow((*buf)[:0], rows*t.width)[:rows*t.width]
	numbers := t.Block(lo, hi, *buf)
	return product.Of(numbers, rows, t.width, t.width)
}

// CodeMatrix returns the codes of the rows lo to hi, for products of matrices. These are faster than products of the
// rows, because one term represents each code. In a table of codes only, a row is its codes times its scale in
// Codes().Scales. buf is as for Matrix.
func (t *Table) CodeMatrix(lo, hi int, buf *[]float32) product.Matrix {
	columns := quant.Columns(t.width)
	n := (hi - lo) * columns
	*buf = slices.Grow((*buf)[:0], n)[:n]
	simd.WidenI8(*buf, t.codes.Tile(lo, hi), 1)
	return product.OfExact(*buf, hi-lo, t.width, columns)
}

// IntegerMatrix returns the rows lo to hi, represented by their codes and low bytes, for products of matrices: see
// LowBytes. buf is as for Matrix.
func (t *Table) IntegerMatrix(lows []int8, lo, hi int, buf *[]float32) product.Matrix {
	columns := quant.Columns(t.width)
	*buf = slices.Grow((*buf)[:0], (hi-lo)*columns)[:(hi-lo)*columns]
	for i := lo; i < hi; i++ {
		simd.WidenI16((*buf)[(i-lo)*columns:][:columns], t.codes.Tile(i, i+1), lows[i*columns:(i+1)*columns], t.codes.Scales[i]/256)
	}
	return product.Of(*buf, hi-lo, t.width, columns)
}
