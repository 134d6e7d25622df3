package table

import (
	"slices"
	"sync"

	"github.com/efoc/efoc/kernels/quant"
)

// Codes returns the rows rounded to codes of 8 bits, nil if the table has none.
func (t *Table) Codes() *quant.Table { return t.codes }

// CodesOff returns the largest residual and the largest length of a row, which bound the error of scores computed from
// codes: see quant.Query.Bound. CheckCodes computes them.
func (t *Table) CodesOff() (residual, norm float32) { return t.residual, t.norm }

// convertRows is the number of rows converted to float32 at a time.
const convertRows = 16

// rowRooms pools buffers for converted rows.
var rowRooms = sync.Pool{New: func() any { return new([]float32) }}

// decode sets buf to the decoded rows lo to hi.
func (t *Table) decode(lo, hi int, buf []float32) {
	columns := quant.Columns(t.width)
	if columns == t.width {
		for i := lo; i < hi; i++ {
			t.codes.Row(buf[(i-lo)*t.width:], i)
		}
		return
	}
	room := rowRooms.Get().(*[]float32) // for a row with its padding
	defer rowRooms.Put(room)
	*room = slices.Grow((*room)[:0], columns)[:columns]
	for i := lo; i < hi; i++ {
		t.codes.Row(*room, i)
		copy(buf[(i-lo)*t.width:(i-lo+1)*t.width], *room)
	}
}

// each calls use with the rows lo to hi as float32: n of them at a time, from row lo+at on, or all at once if no
// conversion is needed.
func (t *Table) each(lo, hi int, use func(rows []float32, at, n int)) {
	if t.dtype == Float32 {
		use(t.f32[lo*t.width:hi*t.width], 0, hi-lo)
		return
	}
	room := rowRooms.Get().(*[]float32)
	defer rowRooms.Put(room)
	*room = slices.Grow((*room)[:0], convertRows*t.width)[:convertRows*t.width]
	for at := 0; lo+at < hi; at += convertRows {
		n := min(convertRows, hi-lo-at)
		use(t.Block(lo+at, lo+at+n, *room), at, n)
	}
}
