package model

import (
	"slices"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
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

// CodeRoom is a buffer for the rows of CodeMatrix; it serves one goroutine.
type CodeRoom struct {
	tile    []int8
	numbers []float32
}

// CodeMatrix returns the codes of the rows lo to hi, for products of matrices, which take less
// than those of rows: codes are exact in bfloat16. A row of a table of codes alone is its codes
// times its scale, of Codes().Scales.
func (t *Table) CodeMatrix(lo, hi int, room *CodeRoom) product.Matrix {
	columns := quant.Columns(t.width)
	n := (hi - lo) * columns
	if t.codes.Packed != nil {
		room.tile = slices.Grow(room.tile[:0], n)[:n]
	}
	room.numbers = slices.Grow(room.numbers[:0], n)[:n]
	simd.WidenI8(room.numbers, t.codes.Tile(lo, hi, room.tile), 1)
	return product.OfExact(room.numbers, hi-lo, t.width, columns)
}
