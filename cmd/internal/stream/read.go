package stream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/lines"
	"github.com/efoc/efoc/runtime/model/importer"
)

// maxLine bounds the bytes of a row.
const maxLine = 1 << 20

// errLong refuses a row.
var errLong = fmt.Errorf("it has more than %d bytes", maxLine)

// read sends rows until the input ends: JSON objects, one per line, or a table with a header, as the first character
// indicates. It ignores a byte order mark. It sends an unreadable row with its error, and continues.
func (s *Stream) read(ctx context.Context, in io.Reader, rows chan<- *row) error {
	answered := startEarlier(s.Earlier)
	defer answered.stop()

	b := bufio.NewReaderSize(in, 64<<10)
	for {
		c, _, err := b.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return answered.end()
		case err != nil:
			return err
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\ufeff':
			continue
		}
		if err := b.UnreadRune(); err != nil {
			return err
		}
		r := reader{lines.NewReader(b, maxLine), "\r\n"}
		var next func() (*row, error)
		switch c {
		case '{':
			r.blanks = " \t\r\n"
			next = r.json
		case '[':
			return errors.New("the rows are an array of JSON: want an object a line, as jq -c '.[]' writes them")
		default:
			next, err = r.table()
			if err != nil {
				return err
			}
		}
		return s.readRows(ctx, next, answered, rows)
	}
}

// readRows sends the rows from next until io.EOF, except those that an earlier run answered.
func (s *Stream) readRows(ctx context.Context, next func() (*row, error), answered *earlier, rows chan<- *row) error {
	for number := 1; ; number++ {
		r, err := next()
		if errors.Is(err, io.EOF) {
			return answered.end()
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", number, err)
		}
		r.number = number
		done, err := answered.has(r)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		s.choose(r)
		select {
		case rows <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reader reads rows, one per line: fields cannot span lines.
type reader struct {
	lines  *lines.Reader
	blanks string // trimmed at the end of a line
}

// line returns the next nonblank line. If it is not text, wrong says why.
func (r reader) line() (text []byte, wrong, err error) {
	for {
		text, tooLong, err := r.lines.Next()
		if err != nil {
			return nil, nil, err
		}
		text = bytes.TrimRight(text, r.blanks)
		switch {
		case tooLong:
			return nil, errLong, nil
		case !utf8.Valid(text):
			return nil, fmt.Errorf("byte %d is not of UTF-8", bytes.IndexRune(text, utf8.RuneError)+1), nil
		case len(text) > 0:
			return text, nil, nil
		}
	}
}

// json parses an object. Its strings are parameters, or the name of the query.
func (r reader) json() (*row, error) {
	text, wrong, err := r.line()
	if wrong != nil || err != nil {
		return &row{err: wrong}, err
	}
	x := &row{}
	if err := json.Unmarshal(text, &x.named); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = fmt.Errorf("a JSON %s is neither", wrong.Value)
		}
		x.err = fmt.Errorf("want an object from parameters to texts and numbers: %w", err)
		return x, nil
	}
	var input bytes.Buffer
	x.err = json.Compact(&input, text)
	x.input = input.Bytes()
	return x, nil
}

// fields splits the next line. If it is invalid, wrong says why.
func (r reader) fields(by importer.Separator) (fields [][]byte, wrong, err error) {
	text, wrong, err := r.line()
	if wrong == nil && err == nil {
		fields, wrong = by.Fields(text, nil)
	}
	return fields, wrong, err
}

// separator returns what separates names, which contain neither tabs nor semicolons.
func separator(names []byte) importer.Separator {
	for _, c := range []byte("\t;") {
		if bytes.IndexByte(names, c) >= 0 {
			return importer.Separator(c)
		}
	}
	return ","
}

// table reads the line of names, and returns a reader of the rows of parameters. Empty cells are left out.
func (r reader) table() (next func() (*row, error), err error) {
	text, wrong, err := r.line()
	by := separator(text)
	var names [][]byte
	if err = errors.Join(wrong, err); err == nil {
		names, err = by.Fields(bytes.Clone(text), nil)
	}
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = errors.New("it has a zero byte: want rows of JSON, CSV or TSV, as text")
	}
	if err != nil {
		return nil, fmt.Errorf("the line of names: %w", err)
	}
	for i, name := range names {
		if slices.ContainsFunc(names[:i], func(other []byte) bool { return bytes.Equal(other, name) }) {
			return nil, fmt.Errorf("the line of names has %q twice", name)
		}
	}
	return func() (*row, error) {
		fields, wrong, err := r.fields(by)
		if wrong != nil || err != nil {
			return &row{err: wrong}, err
		}
		x := &row{named: map[string]string{}}
		if len(fields) != len(names) {
			x.err = fmt.Errorf("%d values for %d names", len(fields), len(names))
		}
		for i := range min(len(fields), len(names)) {
			if len(fields[i]) > 0 {
				x.named[string(names[i])] = string(fields[i])
			}
		}
		x.input, err = json.Marshal(x.named)
		return x, err
	}, nil
}
