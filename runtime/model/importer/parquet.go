package importer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// readParquet reads the facts of a Parquet file.
func readParquet(r *factFile) (err error) {
	file, err := mapfile.Open(r.path)
	switch {
	case errors.Is(err, mapfile.ErrEmpty):
		return fmt.Errorf("%s: not a Parquet file", r.path)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return parquetFacts(r, file.Data)
}

// parquetFacts reads the facts of the bytes of a Parquet file.
func parquetFacts(r *factFile, data []byte) (err error) {
	row := 0
	defer func() {
		// Decoders trust the data, and panic on invalid data.
		if e := recover(); e != nil {
			err = fmt.Errorf("%w: %v", errParquet, e)
		}
		switch {
		case err != nil && row > 0 && !errors.Is(err, r.ctx.Err()):
			err = fmt.Errorf("%s: row %d: %w", r.path, row, err)
		case err != nil:
			err = fmt.Errorf("%s: %w", r.path, err)
		}
	}()
	footer, err := parquetFooter(data)
	if err != nil {
		return err
	}
	columns, picks, err := factColumns(footer.Schema, r.form)
	if err != nil {
		return err
	}
	parts := make([][]byte, len(columns))
	read := 0
	r.share = func() float64 { return min(1, float64(read)/float64(max(1, footer.NumRows))) }
	for _, group := range footer.RowGroups {
		row = 0
		readers, err := columnReaders(data, group, columns, r.edges != nil)
		if err != nil {
			return err
		}
		for range group.NumRows {
			read++
			row = read
			if err := r.pause(row, row); err != nil {
				return err
			}
			for _, c := range readers {
				parts[c.at], err = c.next()
				if err != nil {
					return err
				}
			}
			if err := r.addPicks(row, picks, parts); err != nil {
				return err
			}
		}
	}
	row = 0
	r.progress(int64(read))
	return r.ctx.Err()
}

// columnReaders returns a reader of each column with facts in a row group.
func columnReaders(data []byte, group format.RowGroup, columns []parquetColumn, mayBeNull bool) (readers []*columnReader, err error) {
	for i, c := range columns {
		if !c.wanted {
			continue
		}
		if c.leaf >= len(group.Columns) {
			return nil, errors.New("a row group without all columns")
		}
		pages, err := newParquetPages(data, &group.Columns[c.leaf].MetaData, c)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		readers = append(readers, &columnReader{at: i, name: c.Name, mayBeNull: mayBeNull, pages: pages})
	}
	return readers, nil
}

// factColumns returns the columns of a file, and the positions of facts among them.
func factColumns(schema []format.SchemaElement, r *form) (all []parquetColumn, picks []pick, err error) {
	all, err = parquetColumns(schema)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	isWord := func(name string) bool { return isHeaderWord(0, name) || isHeaderWord(1, name) || isHeaderWord(2, name) }
	if r.edges == nil && r.columns == nil && len(names) == 3 && !slices.ContainsFunc(names, isWord) {
		picks = []pick{{at: [3]int{0, 1, 2}}} // three columns with other names
	} else {
		picks, err = r.picks(names)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, p := range picks {
		for _, i := range p.at {
			if i < 0 {
				continue
			}
			if err := checkColumn(all[i]); err != nil {
				return nil, nil, err
			}
			all[i].wanted = true
		}
	}
	return all, picks, nil
}

// checkColumn reports a column that cannot hold names or ids.
func checkColumn(c parquetColumn) error {
	if !c.Type.Valid || c.RepetitionType.V == format.Repeated {
		return fmt.Errorf("column %q is nested, want one value a row", c.Name)
	}
	kind := c.ConvertedType.V
	standsFor := ""
	switch of := c.LogicalType.Value.(type) {
	case *format.DecimalType, *format.DateType, *format.TimeType, *format.TimestampType:
		standsFor = of.String()
	case nil:
		if c.ConvertedType.Valid && kind >= deprecated.Decimal && kind <= deprecated.TimestampMicros {
			standsFor = "DECIMAL, DATE, TIME or TIMESTAMP"
		}
	}
	if standsFor != "" {
		return fmt.Errorf("column %q is of type %s, whose numbers stand for others: write it as text", c.Name, standsFor)
	}
	switch c.Type.V {
	case format.ByteArray, format.FixedLenByteArray, format.Int32, format.Int64:
		return nil
	}
	return fmt.Errorf("column %q is of type %s, want text or whole numbers", c.Name, c.Type.V)
}

// columnReader reads the values of a column in order.
type columnReader struct {
	at        int // among the columns of the file
	name      string
	mayBeNull bool
	pages     *parquetPages
	text      []byte
}

// next returns the next value as text, which the next call may overwrite.
func (c *columnReader) next() ([]byte, error) {
	values, i, err := c.pages.next()
	switch {
	case err != nil:
		return nil, fmt.Errorf("column %q: %w", c.name, err)
	case values == nil && c.mayBeNull:
		return nil, nil
	case values == nil:
		return nil, fmt.Errorf("column %q is null", c.name)
	case values.offsets == nil:
		c.text = strconv.AppendInt(c.text[:0], values.numbers[i], 10)
		return c.text, nil
	}
	text := values.texts[values.offsets[i]:values.offsets[i+1]]
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("column %q is not valid UTF-8", c.name)
	}
	if len(text) > maxLine {
		return nil, fmt.Errorf("column %q has a value of more than %d bytes", c.name, maxLine)
	}
	return text, nil
}
