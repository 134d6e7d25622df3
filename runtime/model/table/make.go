package table

import (
	"fmt"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Make returns a table of the given type with the given values, rows of the given width; if the type is Int8 and
// exact is Float32, also with exact rows. It refuses numbers that are not finite. Rows of Float32 reuse values.
func Make(values []float32, width int, t, exact Type) (Table, error) {
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

// Build is Make for rows made one by one, without a second copy in memory: row sets to, of the given width, to row i
// of n.
func Build(n, width int, t, exact Type, row func(i int, to []float32) error) (Table, error) {
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
func emptyTable(n, width int, t, exact Type, values []float32) (table Table, err error) {
	if err := t.Check(); err != nil {
		return Table{}, err
	}
	if n < 0 || width < 2 || width%2 != 0 {
		return Table{}, fmt.Errorf("%d rows of %d, want an even width", n, width)
	}
	table = Table{dtype: t, width: width, derived: &derived{}}
	if t == Int8 {
		table.codes = quant.Empty(n, width)
		if exact == Float32 {
			table.dtype = exact
		}
	}
	switch {
	case table.dtype == Int8:
	case values == nil:
		table.f32 = make([]float32, n*width)
	default:
		table.f32 = values
	}
	return table, nil
}

// set stores row i. Codes are computed from the stored exact row, for which buf is scratch space.
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

// Grown returns the table with more rows, and norms with their lengths appended. It rounds the rows to the table's
// type.
func (t *Table) Grown(values, norms []float32) (Table, []float32, error) {
	dtype, exact := t.Types()
	more, err := Make(values, t.width, dtype, exact)
	if err != nil {
		return Table{}, nil, err
	}
	lengths := more.Norms()
	for i, norm := range lengths {
		if !(norm <= MaxLength) {
			return Table{}, nil, fmt.Errorf("new row %d has length %v, want at most %v", i, norm, float32(MaxLength))
		}
	}
	if err := more.CheckCodes(lengths); err != nil {
		return Table{}, nil, err
	}
	end, own := t.sharedEnd.Take(t.Rows(), more.Rows())
	next := Table{
		dtype: t.dtype, width: t.width, f32: grow.Append(t.f32, more.f32, own),
		residual: max(t.residual, more.residual), norm: max(t.norm, more.norm), derived: t.derived.grown(), sharedEnd: end,
	}
	c := t.codes
	x := more.codes
	if c != nil {
		next.codes = &quant.Table{
			Width: c.Width, Codes: grow.Append(c.Codes, x.Codes, own),
			Scales: grow.Append(c.Scales, x.Scales, own), Residuals: grow.Append(c.Residuals, x.Residuals, own),
		}
	}
	return next, grow.Append(norms, lengths, own), nil
}

// Is reports whether x is the same table, or a copy of it that shares its rows.
func (t *Table) Is(x *Table) bool { return t.derived == x.derived }

// Within returns t in the memory of a table that Grown made of it. Nobody may read that any more: Grown of the result
// overwrites its further rows.
func (t *Table) Within(grown *Table) Table {
	next := grown.Slice(0, t.Rows())
	next.residual = t.residual
	next.norm = t.norm
	next.sharedEnd = grow.At(t.Rows())
	next.derived.lows = grown.derived.lows.within(next.codes)
	return next
}

// grown returns the derived data of a table with appended rows.
func (d *derived) grown() *derived { return &derived{lows: d.lows.grown()} }
