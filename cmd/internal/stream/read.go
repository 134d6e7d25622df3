package stream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxLine bounds the bytes of a line.
const maxLine = 1 << 20

// read sends rows until their end: objects of JSON, one a line, or CSV with a line of
// names, whichever the first character says. A byte order mark is no character.
func (s *Stream) read(ctx context.Context, in io.Reader, rows chan<- *row) error {
	b := bufio.NewReaderSize(in, 64<<10)
	for {
		c, _, err := b.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\ufeff':
			continue
		}
		if err := b.UnreadRune(); err != nil {
			return err
		}
		switch c {
		case '{':
			return s.readJSON(ctx, b, rows)
		case '[':
			return errors.New("the rows are an array of JSON: want an object a line, as jq -c '.[]' writes them")
		}
		return s.readCSV(ctx, b, rows)
	}
}

// send sends a row of the shard, unless it was answered before.
func (s *Stream) send(ctx context.Context, r *row, rows chan<- *row) error {
	if !s.Shard.has(r.number) || r.number < s.Shard.Row(s.Skip+1) {
		return nil
	}
	s.choose(r)
	select {
	case rows <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readJSON reads an object a line. Its strings are parameters, or the name of the query.
func (s *Stream) readJSON(ctx context.Context, in io.Reader, rows chan<- *row) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		number++
		r := &row{number: number}
		if r.err = json.Unmarshal(line, &r.args); r.err != nil {
			r.err = fmt.Errorf("want an object with strings: %w", r.err)
		} else {
			r.input = bytes.Clone(line)
		}
		if err := s.send(ctx, r, rows); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("row %d has more than %d bytes", number+1, maxLine)
	}
	return lines.Err()
}

// readCSV reads parameters by the names in the first line.
func (s *Stream) readCSV(ctx context.Context, in io.Reader, rows chan<- *row) error {
	part := &allowance{in: in, left: maxLine}
	c := csv.NewReader(part)
	c.FieldsPerRecord = -1
	names, err := c.Read()
	if err != nil {
		return fmt.Errorf("the line of names: %w", err)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("the line of names has %q twice", name)
		}
	}
	for number := 1; ; number++ {
		part.left = maxLine
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil { // after which the next row cannot be found
			return fmt.Errorf("row %d: %w", number, err)
		}
		r := &row{number: number, args: map[string]string{}}
		if len(fields) != len(names) {
			r.err = fmt.Errorf("%d values for %d names", len(fields), len(names))
		}
		for i := range min(len(fields), len(names)) {
			r.args[names[i]] = fields[i]
		}
		if r.input, err = json.Marshal(r.args); err != nil {
			return err
		}
		if err := s.send(ctx, r, rows); err != nil {
			return err
		}
	}
}

// allowance lets so many bytes be read: a quotation mark that is never closed makes one row of
// all that follows.
type allowance struct {
	in   io.Reader
	left int
}

// Read reads what is left at most.
func (a *allowance) Read(b []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("it has more than %d bytes: is a quotation mark not closed?", maxLine)
	}
	n, err := a.in.Read(b[:min(len(b), a.left)])
	a.left -= n
	return n, err
}
