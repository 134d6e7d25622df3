package model

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Codes returns the rows rounded to codes of 8 bits, nil if the table has none.
func (t *Table) Codes() *quant.Table { return t.codes }

// CodesOff returns the largest residual of a row and the largest length, by which scores made of
// codes are off at most: see quant.Query.Bound. They are known of the table of a model.
func (t *Table) CodesOff() (residual, norm float32) { return t.residual, t.norm }

// types returns the manifest's types of the table: the type that sweeps read, and the type of the rows
// beside codes, if both are there.
func (t *Table) types() (table, exact TableType) {
	if t.codes == nil || !t.dtype.IsFloat() {
		return t.dtype, ""
	}
	return Int8, t.dtype
}

// MakeTable returns a table of the given type that holds values, which are rows of the given
// width; if the type is Int8 and exact is one of RowTypes, with rows of type exact beside the
// codes. It rounds to nearest, ties to even, and refuses numbers that are not finite or would not
// be. It takes over the values where rows are of Float32.
func MakeTable(values []float32, width int, t, exact TableType) (Table, error) {
	if width > 0 && len(values)%width != 0 {
		return Table{}, fmt.Errorf("%d numbers do not make rows of %d", len(values), width)
	}
	table, err := emptyTable(len(values)/max(1, width), width, t, exact, values)
	if err != nil {
		return Table{}, err
	}
	buf := make([]float32, width)
	for i := range len(values) / width {
		if err := table.set(i, values[i*width:(i+1)*width], buf); err != nil {
			return Table{}, err
		}
	}
	return table, nil
}

// BuildTable is MakeTable for rows that are made one after the other, so that no second copy
// of them is in memory: row sets to, of the given width, to row i of n.
func BuildTable(n, width int, t, exact TableType, row func(i int, to []float32) error) (Table, error) {
	table, err := emptyTable(n, width, t, exact, nil)
	if err != nil {
		return Table{}, err
	}
	made := make([]float32, width)
	buf := make([]float32, width)
	for i := range n {
		if err := row(i, made); err != nil {
			return Table{}, err
		}
		if err := table.set(i, made, buf); err != nil {
			return Table{}, err
		}
	}
	return table, nil
}

// emptyTable returns a table of n rows to be set. values, if not nil, holds its float32 rows.
func emptyTable(n, width int, t, exact TableType, values []float32) (table Table, err error) {
	if err := t.Check(); err != nil {
		return Table{}, err
	}
	if n < 0 || width < 2 || width%2 != 0 {
		return Table{}, fmt.Errorf("%d rows of %d, want an even width", n, width)
	}
	table = Table{dtype: t, width: width}
	if t == Int8 {
		table.codes = quant.Empty(n, width)
		if slices.Contains(RowTypes, exact) {
			table.dtype = exact
		}
	}
	switch {
	case table.dtype == Float32 && values == nil:
		table.f32 = make([]float32, n*width)
	case table.dtype == Float32:
		table.f32 = values
	case table.dtype.IsFloat():
		table.half = make([]uint16, n*width)
	}
	return table, nil
}

// set stores row i. Codes are of what stands beside them; buf is room for that.
func (t *Table) set(i int, row, buf []float32) error {
	if t.dtype.IsFloat() {
		if err := t.put(i, row); err != nil {
			return err
		}
		row = t.Row(graph.EntityID(i), buf)
	}
	if t.codes == nil {
		return nil
	}
	return t.codes.Set(i, row)
}

// CodeError is the relative error of codes, ‖x − x̂‖/‖x‖: the largest and the mean over the
// rows that are not zero. By Cauchy and Schwarz it bounds the error of a score ⟨q, x̂⟩ relative
// to ‖q‖·‖x‖.
type CodeError struct {
	Largest float64 `json:"largest"`
	Mean    float64 `json:"mean"`
}

// CodeError returns the error of the codes of the entity table.
func (p *Predictor) CodeError() (e CodeError) {
	rows := 0
	for i, r := range p.EntityTable.codes.Residuals {
		if norm := p.EntityNorms[i]; norm > 0 {
			rel := float64(r) / float64(norm)
			e.Largest, e.Mean, rows = max(e.Largest, rel), e.Mean+rel, rows+1
		}
	}
	e.Mean /= float64(max(1, rows))
	return e
}

// convertRows is how many rows are converted to float32 at a time, where they are not of that type.
const convertRows = 16

// rowRooms are room for rows that are converted.
var rowRooms = sync.Pool{New: func() any { return new([]float32) }}

// decode sets buf to the rows lo to hi that codes stand for.
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

// each calls use with the rows lo to hi as float32: with n of them from row lo+at on, with all at
// once where they are of that type.
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

// checkCodes checks that codes are of the rows that have the given norms: that they have a
// scale and a residual which such a row can have. Kernels take any code. It keeps the largest
// of both.
func (t *Table) checkCodes(norms []float32) error {
	c := t.codes
	if c == nil {
		return nil
	}
	if c.Width != t.width || c.Rows() != t.Rows() {
		return fmt.Errorf("codes of %d rows of %d, want %d of %d", c.Rows(), c.Width, t.Rows(), t.width)
	}
	if err := c.Check(); err != nil {
		return fmt.Errorf("tensors %q and %q: %w", tensorScales, tensorResiduals, err)
	}
	t.residual = 0
	t.norm = 0
	for i, s := range c.Scales {
		t.norm = max(t.norm, norms[i])
		if t.dtype.IsFloat() {
			t.residual = max(t.residual, c.Residuals[i])
		}
		// The scale times the largest code is about the row's largest number, and no code is further
		// off than the number itself.
		most := 2*float64(norms[i]) + tiny
		if float64(s)*math.MaxInt8 > most || float64(c.Residuals[i]) > most {
			return fmt.Errorf("tensors %q and %q: row %d has scale %v and residual %v, which no row of length %v has", tensorScales, tensorResiduals, i, s, c.Residuals[i], norms[i])
		}
	}
	return nil
}
