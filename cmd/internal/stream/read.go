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
)

// maxLine bounds the bytes of a row.
const maxLine = 1 << 20

// errLong refuses a row.
var errLong = fmt.Errorf("it has more than %d bytes", maxLine)

// read sends rows until their end: objects of JSON, one a line, or CSV with a line of
// names, whichever the first character says. A byte order mark is no character. A row that
// cannot be read is sent with its error, and the others follow.
func (s *Stream) read(ctx context.Context, in io.Reader, rows chan<- *row) error {
	b := bufio.NewReaderSize(in, 64<<10)
	for {
		c, _, err := b.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return s.Done.end()
		case err != nil:
			return err
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\ufeff':
			continue
		}
		if err := b.UnreadRune(); err != nil {
			return err
		}
		next := (&lines{in: b}).json
		switch c {
		case '{':
		case '[':
			return errors.New("the rows are an array of JSON: want an object a line, as jq -c '.[]' writes them")
		default:
			if next, err = newTable(&lines{in: b}); err != nil {
				return err
			}
		}
		return s.readRows(ctx, next, rows)
	}
}

// readRows sends the rows that next returns, until that returns io.EOF.
func (s *Stream) readRows(ctx context.Context, next func() (*row, error), rows chan<- *row) error {
	for number := 1; ; number++ {
		r, err := next()
		if errors.Is(err, io.EOF) {
			return s.Done.end()
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", number, err)
		}
		if r.number = number; !s.Shard.has(number) {
			continue
		}
		if done, err := s.Done.has(r); done || err != nil {
			if err != nil {
				return err
			}
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

// line is a line with its end. If it is too long, its text is not kept.
type line struct {
	text []byte
	long bool
}

// lines reads lines.
type lines struct{ in *bufio.Reader }

// next returns the next line.
func (l *lines) next() (x line, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if x.long = x.long || len(x.text)+len(part) > maxLine; x.long {
			x.text = nil
		} else {
			x.text = append(x.text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && (len(x.text) > 0 || x.long):
			return x, nil
		default:
			return x, err
		}
	}
}

// json reads an object. Its strings are parameters, or the name of the query.
func (l *lines) json() (*row, error) {
	for {
		x, err := l.next()
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(x.text)
		r := &row{err: x.wrong()}
		switch {
		case r.err != nil:
			return r, nil
		case len(text) == 0:
			continue
		}
		if r.err = json.Unmarshal(text, &r.args); r.err != nil {
			r.err = fmt.Errorf("want an object with strings: %w", r.err)
			return r, nil
		}
		var input bytes.Buffer
		r.err = json.Compact(&input, text)
		r.input = input.Bytes()
		return r, nil
	}
}

// wrong says why a line is no text.
func (x *line) wrong() error {
	switch {
	case x.long:
		return errLong
	case !utf8.Valid(x.text):
		at := 0
		for rest := x.text; ; {
			c, size := utf8.DecodeRune(rest)
			if c == utf8.RuneError && size == 1 {
				return fmt.Errorf("byte %d is not of UTF-8", at+1)
			}
			at, rest = at+size, rest[size:]
		}
	}
	return nil
}

// newTable reads the line of names of CSV, and returns what reads the parameters that they
// name.
func newTable(l *lines) (next func() (*row, error), err error) {
	names, wrong, err := l.csv()
	if err = errors.Join(wrong, err); err == nil && slices.ContainsFunc(names, isBinary) {
		err = errors.New("it has a zero byte: want rows of JSON or CSV, as text")
	}
	if err != nil {
		return nil, fmt.Errorf("the line of names: %w", err)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the line of names has %q twice", name)
		}
	}
	return func() (*row, error) {
		fields, wrong, err := l.csv()
		if wrong != nil || err != nil {
			return &row{err: wrong}, err
		}
		r := &row{args: map[string]string{}}
		if len(fields) != len(names) {
			r.err = fmt.Errorf("%d values for %d names", len(fields), len(names))
		}
		for i := range min(len(fields), len(names)) {
			r.args[names[i]] = fields[i]
		}
		r.input, err = json.Marshal(r.args)
		return r, err
	}, nil
}
