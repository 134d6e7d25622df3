package quant

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// A Table is rows of codes, with what package doc says is stored beside them. Nothing may change
// its numbers.
type Table struct {
	Width     int    // columns of a row; stored rows have Columns(Width)
	Codes     []int8 // rows × Columns(Width)
	Scales    []float32
	Residuals []float32
}

// New returns a table that holds values, which are rows of the given width. It refuses numbers that
// are not finite or exceed half of the largest float32.
func New(values []float32, width int) (*Table, error) {
	if width < 1 || len(values)%width != 0 {
		return nil, fmt.Errorf("%d numbers do not make rows of %d", len(values), width)
	}
	t, err := Empty(len(values)/width, width)
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

// Empty returns a table with n rows of zeros of the given width, to be set.
func Empty(n, width int) (*Table, error) {
	if n < 0 || width < 1 {
		return nil, fmt.Errorf("table of %d rows of %d", n, width)
	}
	return &Table{Width: width, Codes: make([]int8, n*Columns(width)), Scales: make([]float32, n), Residuals: make([]float32, n)}, nil
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
	t.Scales[i], t.Residuals[i], ok = Int8(t.Codes[i*columns:(i+1)*columns], x)
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
func (t *Table) Bytes() int { return len(t.Codes) + 4*len(t.Scales) }

// Tile returns the codes of the rows lo to hi, hi excluded, which with Scales[lo:hi]
// is what the kernels take.
func (t *Table) Tile(lo, hi int) []int8 {
	lo, hi = lo*Columns(t.Width), hi*Columns(t.Width)
	return t.Codes[lo:hi:hi]
}

// Row sets dst to row i, rounded to float32. dst has room for Columns(Width) numbers, of which the
// first Width are the row.
func (t *Table) Row(dst []float32, i int) {
	simd.WidenI8(dst[:Columns(t.Width)], t.Tile(i, i+1), t.Scales[i])
}

// Check reports a table whose slices do not fit together, as one from a file may be, or
// whose scales or residuals are not those of a table.
func (t *Table) Check() error {
	n := t.Rows()
	if t.Width < 1 || len(t.Residuals) != n || len(t.Codes) != n*Columns(t.Width) {
		return fmt.Errorf("%d scales and %d residuals with %d codes do not make rows of %d", n, len(t.Residuals), len(t.Codes), t.Width)
	}
	for i, s := range t.Scales {
		if r := t.Residuals[i]; !(s >= 0 && s <= largest) || !(r >= 0 && r <= math.MaxFloat32) {
			return fmt.Errorf("row %d has scale %v and residual %v, want finite numbers of at least 0", i, s, r)
		}
	}
	return nil
}

// AxpyAt computes acc += Σ_i weights[i]·x̂_rows[i], where acc has Columns(Width) numbers.
func (t *Table) AxpyAt(acc []float32, rows []int32, weights []float32) {
	simd.AxpyAtI8(acc, t.Codes, t.Scales, rows, weights)
}
