package quant

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// A Table is rows of 8 or 4 bits, with what package doc says is stored beside them. One of
// Codes and Packed is nil. Nothing may change its numbers.
type Table struct {
	Width       int     // columns of a row; stored rows have Columns(Width)
	Codes       []int8  // 8 bits: rows × Columns(Width)
	Packed      []uint8 // 4 bits: rows × Columns(Width)/2
	Multipliers []uint8 // 4 bits: rows × Columns(Width)/32
	Scales      []float32
	Residuals   []float32
}

// New returns a table of 8 or 4 bits a number that holds values, which are rows of the
// given width. It refuses numbers that are not finite or exceed half of the largest float32.
func New(values []float32, width, bits int) (*Table, error) {
	if width < 1 || len(values)%width != 0 {
		return nil, fmt.Errorf("%d numbers do not make rows of %d", len(values), width)
	}
	t, err := Empty(len(values)/width, width, bits)
	if err != nil {
		return nil, err
	}
	for i := range t.Rows() {
		if err := t.Put(i, values[i*width:(i+1)*width]); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Empty returns a table of 8 or 4 bits a number with n rows of zeros of the given width, to
// be set.
func Empty(n, width, bits int) (*Table, error) {
	if n < 0 || width < 1 {
		return nil, fmt.Errorf("table of %d rows of %d", n, width)
	}
	if bits != 8 && bits != 4 {
		return nil, fmt.Errorf("table of %d bits, want 8 or 4", bits)
	}
	columns := Columns(width)
	t := &Table{Width: width, Scales: make([]float32, n), Residuals: make([]float32, n)}
	if bits == 8 {
		t.Codes = make([]int8, n*columns)
	} else {
		t.Packed, t.Multipliers = make([]uint8, n*columns/2), make([]uint8, n*columns/block)
	}
	return t, nil
}

// Put is Set with an error that says what is wrong with x.
func (t *Table) Put(i int, x []float32) error {
	if !t.Set(i, x) {
		return refused(i, x)
	}
	return nil
}

// Set quantises x as row i, for those who fill a table side by side. It reports false if
// New would refuse a number.
func (t *Table) Set(i int, x []float32) (ok bool) {
	columns := Columns(t.Width)
	if t.Codes != nil {
		t.Scales[i], t.Residuals[i], ok = Int8(t.Codes[i*columns:(i+1)*columns], x)
		return ok
	}
	packed, multipliers := columns/2, columns/block
	t.Scales[i], t.Residuals[i], ok = Int4(t.Packed[i*packed:(i+1)*packed], t.Multipliers[i*multipliers:(i+1)*multipliers], x)
	return ok
}

// refused says which number of a row has no code.
func refused(row int, x []float32) error {
	for column, v := range x {
		if _, ok := sizeOf(x[column : column+1]); !ok {
			return fmt.Errorf("row %d column %d is %v, want a finite number of at most %v", row, column, v, float32(largest))
		}
	}
	panic("row without a number to refuse")
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Scales) }

// Bytes returns the size of what a pass over the table reads.
func (t *Table) Bytes() int {
	return len(t.Codes) + len(t.Packed) + len(t.Multipliers) + 4*len(t.Scales)
}

// Tile returns the 8-bit codes of the rows lo to hi, hi excluded, which with Scales[lo:hi]
// is what the kernels take: a view of a table of 8 bits, otherwise unpacked into buf, which
// has room for them. Tiles of some KiB stay in L1 from one kernel to the next.
func (t *Table) Tile(lo, hi int, buf []int8) []int8 {
	lo, hi = lo*Columns(t.Width), hi*Columns(t.Width)
	if t.Codes != nil {
		return t.Codes[lo:hi:hi]
	}
	buf = buf[:hi-lo]
	simd.UnpackI4(buf, t.Packed[lo/2:hi/2], t.Multipliers[lo/block:hi/block])
	return buf
}

// Row sets dst to row i, rounded to float32. dst has room for Columns(Width) numbers, of which the
// first Width are the row. buf is as of Tile, for one row.
func (t *Table) Row(dst []float32, i int, buf []int8) {
	simd.WidenI8(dst[:Columns(t.Width)], t.Tile(i, i+1, buf), t.Scales[i])
}

// Check reports a table whose slices do not fit together, as one from a file may be, or
// whose scales or residuals are not those of a table.
func (t *Table) Check() error {
	n, columns := t.Rows(), Columns(t.Width)
	codes := len(t.Codes) == n*columns && t.Packed == nil && t.Multipliers == nil ||
		t.Codes == nil && len(t.Packed) == n*columns/2 && len(t.Multipliers) == n*columns/block
	if t.Width < 1 || len(t.Residuals) != n || !codes {
		return fmt.Errorf("%d scales and %d residuals with %d codes of 8 bits, %d bytes of 4-bit codes and %d multipliers do not make rows of %d",
			n, len(t.Residuals), len(t.Codes), len(t.Packed), len(t.Multipliers), t.Width)
	}
	for i, s := range t.Scales {
		if r := t.Residuals[i]; !(s >= 0 && s <= largest) || !(r >= 0 && r <= math.MaxFloat32) {
			return fmt.Errorf("row %d has scale %v and residual %v, want finite numbers of at least 0", i, s, r)
		}
	}
	return nil
}

// AxpyAt computes acc += Σ_i weights[i]·x̂_rows[i], where acc has Columns(Width) numbers and
// buf room for the codes of a row.
func (t *Table) AxpyAt(acc []float32, rows []int32, weights []float32, buf []int8) {
	if t.Codes != nil {
		simd.AxpyAtI8(acc, t.Codes, t.Scales, rows, weights)
		return
	}
	for i, e := range rows {
		simd.AxpyRowsI8(acc, t.Tile(int(e), int(e)+1, buf), t.Scales[e:e+1], weights[i:i+1])
	}
}
