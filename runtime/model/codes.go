package model

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/efoc/efoc/kernels/quant"
)

// codeBits are the bits of the codes of a table type.
var codeBits = map[TableType]int{Int8: 8, Int4: 4}

// newCodes quantises rows.
func newCodes(values []float32, width int, t TableType) (*quant.Table, error) {
	return quant.New(values, width, codeBits[t])
}

// Codes returns the rows rounded to codes of 8 or 4 bits, nil if the table has none.
func (t *Table) Codes() *quant.Table { return t.codes }

// CodeType returns the type of the codes, "" if the table has none.
func (t *Table) CodeType() TableType {
	switch {
	case t.codes == nil:
		return ""
	case t.codes.Packed != nil:
		return Int4
	}
	return Int8
}

// CodesOff returns the largest residual of a row and the largest length, by which scores made of
// codes are off at most: see quant.Query.Bound. They are known of the table of a model.
func (t *Table) CodesOff() (residual, norm float32) { return t.residual, t.norm }

// types returns what the manifest says of the table: the type that passes read, and that of
// the rows beside codes, if both are there.
func (t *Table) types() (table, exact TableType) {
	switch {
	case t.codes == nil || !t.dtype.IsFloat():
		return t.dtype, ""
	}
	return t.CodeType(), t.dtype
}

// WithCodes returns the table with codes of type Int8 or Int4 beside its rows.
func (t *Table) WithCodes(of TableType) (Table, error) {
	out := *t
	if of.IsFloat() || !t.dtype.IsFloat() {
		return out, fmt.Errorf("codes of type %s beside rows of type %s, want int8 or int4 beside floats", of, t.dtype)
	}
	var err error
	out.codes, err = newCodes(t.Float32s(), t.width, of)
	return out, err
}

// MakeTable returns a table of the given type that holds values, as NewTable does; if that is
// one of codes and exact one of floats, with rows of type exact beside the codes.
func MakeTable(values []float32, width int, t, exact TableType) (Table, error) {
	if t.IsFloat() || !slices.Contains(FloatTypes, exact) {
		return NewTable(values, width, t)
	}
	rows, err := NewTable(values, width, exact)
	if err != nil {
		return rows, err
	}
	return rows.WithCodes(t)
}

// BuildTable is MakeTable for rows that are made one after the other, so that no second copy
// of them is in memory: row sets to, of the given width, to row i of n.
func BuildTable(n, width int, t, exact TableType, row func(i int, to []float32) error) (Table, error) {
	if err := t.Check(); err != nil {
		return Table{}, err
	}
	if n < 0 || width < 2 || width%2 != 0 {
		return Table{}, fmt.Errorf("%d rows of %d, want an even width", n, width)
	}
	table := Table{dtype: t, width: width}
	if !t.IsFloat() {
		codes, err := quant.Empty(n, width, codeBits[t])
		if err != nil {
			return Table{}, err
		}
		if table.codes = codes; slices.Contains(FloatTypes, exact) {
			table.dtype = exact
		}
	}
	switch {
	case table.dtype == Float32:
		table.f32 = make([]float32, n*width)
	case table.dtype.IsFloat():
		table.half = make([]uint16, n*width)
	}
	buf := make([]float32, width)
	for i := range n {
		if err := row(i, buf); err != nil {
			return Table{}, err
		}
		stored := buf
		if table.dtype.IsFloat() {
			if err := table.put(i, buf); err != nil {
				return Table{}, err
			}
			stored = table.Row(EntityID(i), buf) // codes are of what stands beside them
		}
		if table.codes != nil {
			if err := table.codes.Put(i, stored); err != nil {
				return Table{}, err
			}
		}
	}
	return table, nil
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

// decodeRows is how many rows of codes are decoded at a time.
const decodeRows = 16

// decodeRoom is memory for rows that are decoded.
type decodeRoom struct {
	rows  []float32 // decodeRows × 2d
	codes []int8    // of a row
	row   []float32 // with its padding
}

var decodeRooms = sync.Pool{New: func() any { return &decodeRoom{} }}

// decode sets buf to the rows lo to hi of a table that has codes alone.
func (t *Table) decode(lo, hi int, buf []float32) []float32 {
	room := decodeRooms.Get().(*decodeRoom)
	defer decodeRooms.Put(room)
	return room.decode(t, lo, hi, buf)
}

func (room *decodeRoom) decode(t *Table, lo, hi int, buf []float32) []float32 {
	buf = buf[:(hi-lo)*t.width]
	columns := quant.Columns(t.width)
	room.codes, room.row = slices.Grow(room.codes[:0], columns)[:columns], slices.Grow(room.row[:0], columns)[:columns]
	for i := range hi - lo {
		row := buf[i*t.width : (i+1)*t.width]
		if columns == t.width {
			t.codes.Row(row, lo+i, room.codes)
			continue
		}
		t.codes.Row(room.row, lo+i, room.codes)
		copy(row, room.row)
	}
	return buf
}

// decoded calls use with the rows lo to hi of a table that has codes alone, some at a time:
// with n rows from row lo+at on.
func (t *Table) decoded(lo, hi int, use func(rows []float32, at, n int)) {
	room := decodeRooms.Get().(*decodeRoom)
	defer decodeRooms.Put(room)
	room.rows = slices.Grow(room.rows[:0], decodeRows*t.width)[:decodeRows*t.width]
	for at := 0; lo+at < hi; at += decodeRows {
		n := min(decodeRows, hi-lo-at)
		use(room.decode(t, lo+at, lo+at+n, room.rows), at, n)
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
	t.residual, t.norm = 0, 0
	for i, s := range c.Scales {
		if t.norm = max(t.norm, norms[i]); t.dtype.IsFloat() {
			t.residual = max(t.residual, c.Residuals[i])
		}
		// The scale times the largest code is about the row's largest number, and no code is further
		// off than the number itself.
		most := 2*float64(norms[i]) + tiny
		if float64(s)*largestCode(c) > most || float64(c.Residuals[i]) > most {
			return fmt.Errorf("tensors %q and %q: row %d has scale %v and residual %v, which no row of length %v has", tensorScales, tensorResiduals, i, s, c.Residuals[i], norms[i])
		}
	}
	return nil
}

// largestCode returns what the scale of a row is multiplied by for its largest number.
func largestCode(c *quant.Table) float64 {
	if c.Packed != nil {
		return 7 * 18
	}
	return math.MaxInt8
}
