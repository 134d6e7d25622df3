package model

import (
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// squaresOf holds the squares of the rows of tables by the names of their tensors.
type squaresOf map[string]*rowSquares

// newSquares makes room for the squares of the tables of a bundle.
func newSquares(f *safetensors.File) squaresOf {
	all := squaresOf{}
	for _, name := range []string{tensorEntities, tensorRelations} {
		t, _ := f.Tensor(name)
		if len(t.Shape) != 2 || len(t.Data) == 0 {
			continue
		}
		for dtype, element := range tensorTypes {
			if t.DType == element {
				all[name] = &rowSquares{
					tensor: t, dtype: dtype, width: t.Shape[1],
					bytes: t.Shape[1] * dtype.Size(), squares: make([]float32, t.Shape[0]),
				}
			}
		}
	}
	return all
}

// rowSquares are the squared lengths of the rows of a table. Nil stands for a tensor
// that is no table.
type rowSquares struct {
	tensor  safetensors.Tensor
	dtype   TableType
	width   int // in numbers
	bytes   int // of a row
	squares []float32
}

// list returns the squares, nil if there are none.
func (r *rowSquares) list() []float32 {
	if r == nil {
		return nil
	}
	return r.squares
}

// first returns the first row that starts at some byte or behind it.
func (r *rowSquares) first(from int) int {
	if r == nil {
		return 0
	}
	return (from + r.bytes - 1) / r.bytes
}

// take squares the rows that end at some byte or before it, from one row on, and returns
// the row after them.
func (r *rowSquares) take(row, to int) int {
	if r == nil || to/r.bytes <= row {
		return row
	}
	end := to / r.bytes
	part := r.tensor
	part.Data = part.Data[row*r.bytes : end*r.bytes]
	t := Table{dtype: r.dtype, width: r.width}
	// The tensor has one of the types that these are for.
	if r.dtype == Float32 {
		t.f32, _ = part.Float32s()
	} else {
		t.half, _ = part.Halves()
	}
	t.squareRows(r.squares[row:end], 0)
	return end
}

// across squares the row that lies on both sides of a byte, if there is one.
func (r *rowSquares) across(at int) {
	if r != nil && at%r.bytes != 0 {
		row := at / r.bytes
		r.take(row, (row+1)*r.bytes)
	}
}

// squareRows computes dst[i] = ‖E_lo+i‖².
func (t *Table) squareRows(dst []float32, lo int) {
	var buf []float32
	if t.dtype != Float32 {
		buf = make([]float32, t.width)
	}
	for i := range dst {
		row := t.Row(EntityID(lo+i), buf)
		simd.DotRows(dst[i:i+1], row, row)
	}
}

// allSquares returns the squares of all rows, taken side by side. Rows that lie in pages leave
// memory behind.
func (t *Table) allSquares(pages *pages) []float32 {
	squares := make([]float32, t.Rows())
	block := max(1, blockSize/max(1, t.width*t.dtype.Size()))
	_ = inParts(len(squares), block, func(lo, hi int) error {
		t.squareRows(squares[lo:hi], lo)
		pages.releaseRows(t.slice(lo, hi))
		return nil
	})
	return squares
}
