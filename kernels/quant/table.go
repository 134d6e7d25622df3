package quant

import (
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// A Table holds rows of codes with their scales and residuals, as described in the package comment. It must not
// be modified.
type Table struct {
	Width     int    // columns of a row; stored rows have Columns(Width)
	Codes     []int8 // rows × Columns(Width)
	Scales    []float32
	Residuals []float32
}

// Empty returns a table of n zero rows of the given width, to be filled by Set.
func Empty(n, width int) *Table {
	return &Table{Width: width, Codes: make([]int8, n*Columns(width)), Scales: make([]float32, n), Residuals: make([]float32, n)}
}

// Set quantises x as row i. It refuses numbers that are not finite or exceed half of the largest float32. Rows
// may be set concurrently.
func (t *Table) Set(i int, x []float32) error {
	columns := Columns(t.Width)
	ok := false
	t.Scales[i], t.Residuals[i], ok = quantiseRow(t.Codes[i*columns:(i+1)*columns], x)
	if ok {
		return nil
	}
	column := slices.IndexFunc(x, func(v float32) bool { return !(v >= -largest && v <= largest) })
	return fmt.Errorf("row %d column %d is %v, want a finite number of at most %v", i, column, x[column], float32(largest))
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Scales) }

// Bytes returns the number of bytes that a sweep of the table reads.
func (t *Table) Bytes() int { return len(t.Codes) + 4*len(t.Scales) }

// Tile returns the codes of rows lo to hi, excluding hi, which kernels take together with Scales[lo:hi].
func (t *Table) Tile(lo, hi int) []int8 {
	lo = lo * Columns(t.Width)
	hi = hi * Columns(t.Width)
	return t.Codes[lo:hi:hi]
}

// Row sets dst to row i, rounded to float32. dst has Columns(Width) numbers; the row is the first
// Width of them.
func (t *Table) Row(dst []float32, i int) {
	simd.WidenI8(dst[:Columns(t.Width)], t.Tile(i, i+1), t.Scales[i])
}

// Check reports slices of inconsistent lengths, as in a table from a file, and invalid scales or residuals.
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
