package importer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
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

// maxFooter bounds the bytes that the library decodes before it knows anything about the file.
const maxFooter = 64 << 20

var errParquet = errors.New("not a Parquet file, or a damaged one")

// parquetFacts reads the facts of the bytes of a Parquet file.
func parquetFacts(r *factFile, data []byte) (err error) {
	row := 0
	defer func() {
		// The library trusts the data, and panics on invalid data.
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
	if err := checkParquetFooter(data); err != nil {
		return err
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	columns, picks, err := factColumns(f, r.form)
	if err != nil {
		return err
	}
	parts := make([][]byte, len(columns))
	read := 0
	r.share = func() float64 { return min(1, float64(read)/float64(max(1, f.NumRows()))) }
	for _, group := range f.RowGroups() {
		row = 0
		readers, err := columnReaders(group, columns, r.edges != nil)
		if err != nil {
			return err
		}
		defer closeAll(readers)
		for range group.NumRows() {
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

// columnReaders returns a reader of each column in a row group, except for nil columns.
func columnReaders(group parquet.RowGroup, columns []*parquet.Column, mayBeNull bool) (readers []*columnReader, err error) {
	chunks := group.ColumnChunks()
	for i, c := range columns {
		switch {
		case c == nil:
		case c.Index() >= len(chunks):
			closeAll(readers)
			return nil, errors.New("a row group without all columns")
		default:
			readers = append(readers, &columnReader{at: i, name: c.Name(), mayBeNull: mayBeNull, values: parquet.NewColumnChunkValueReader(chunks[c.Index()])})
		}
	}
	return readers, nil
}

func closeAll(readers []*columnReader) {
	for _, r := range readers {
		r.values.Close()
	}
}

// checkParquetFooter checks the size of the footer.
func checkParquetFooter(data []byte) error {
	if len(data) < 12 {
		return errParquet
	}
	size := int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	if size > int64(len(data)-12) {
		return fmt.Errorf("%w: a footer of %d bytes in a file of %d", errParquet, size, len(data))
	}
	if size > maxFooter {
		return fmt.Errorf("a Parquet footer of %d bytes, more than the allowed %d", size, maxFooter)
	}
	return nil
}

// factColumns returns the columns of a file, nil for those without facts, and the positions of facts among them.
func factColumns(f *parquet.File, r *form) (of []*parquet.Column, picks []pick, err error) {
	all := f.Root().Columns()
	var names []string
	for _, c := range all {
		names = append(names, c.Name())
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
	of = make([]*parquet.Column, len(all))
	for _, p := range picks {
		for _, i := range p.at {
			if i < 0 {
				continue
			}
			if err := checkColumn(all[i]); err != nil {
				return nil, nil, err
			}
			of[i] = all[i]
		}
	}
	return of, picks, nil
}

// checkColumn reports a column that cannot hold names or ids.
func checkColumn(c *parquet.Column) error {
	if !c.Leaf() || c.Repeated() {
		return fmt.Errorf("column %q is nested, want one value a row", c.Name())
	}
	if of := c.Type().LogicalType(); of != nil {
		switch of.Value.(type) {
		case *format.DecimalType, *format.DateType, *format.TimeType, *format.TimestampType:
			return fmt.Errorf("column %q is of type %s, whose numbers stand for others: write it as text", c.Name(), c.Type())
		}
	}
	switch c.Type().Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray, parquet.Int32, parquet.Int64:
		return nil
	}
	return fmt.Errorf("column %q is of type %s, want text or whole numbers", c.Name(), c.Type())
}

// columnReader reads the values of a column in order.
type columnReader struct {
	at        int // among the columns of the file
	name      string
	mayBeNull bool
	values    parquet.ColumnChunkValueReader
	buf       [512]parquet.Value
	list      []parquet.Value // the remaining values of buf
	text      []byte
}

// next returns the next value as text, which the next call may overwrite.
func (c *columnReader) next() ([]byte, error) {
	for len(c.list) == 0 {
		n, err := c.values.ReadValues(c.buf[:])
		c.list = c.buf[:n]
		switch {
		case n > 0:
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("column %q has fewer values than there are rows", c.name)
		case err != nil:
			return nil, err
		}
	}
	v := c.list[0]
	c.list = c.list[1:]
	switch {
	case v.IsNull() && c.mayBeNull:
		return nil, nil
	case v.IsNull():
		return nil, fmt.Errorf("column %q is null", c.name)
	case v.Kind() == parquet.Int32 || v.Kind() == parquet.Int64:
		c.text = strconv.AppendInt(c.text[:0], v.Int64(), 10)
		return c.text, nil
	}
	text := v.ByteArray()
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("column %q is not valid UTF-8", c.name)
	}
	if len(text) > maxLine {
		return nil, fmt.Errorf("column %q has a value of more than %d bytes", c.name, maxLine)
	}
	return text, nil
}
