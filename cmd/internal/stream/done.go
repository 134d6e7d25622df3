package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Done holds the lines of the rows that an earlier run answered, in order. A nil Done has none.
type Done struct{ lines *bufio.Reader }

// NewDone reads the lines of an earlier run.
func NewDone(lines io.Reader) *Done { return &Done{bufio.NewReader(lines)} }

// next returns the next line, if there is one.
func (d *Done) next() (x *result, err error) {
	if d == nil || d.lines == nil {
		return nil, nil
	}
	text, err := d.lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(text) == 0 {
		d.lines = nil
		return nil, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		return nil, fmt.Errorf("the lines of the earlier run: %w", err)
	}
	return x, nil
}

// has reports whether a row has been answered. If there is a line in its place that is of
// another row, that is an error.
func (d *Done) has(r *row) (bool, error) {
	x, err := d.next()
	if x == nil || err != nil {
		return false, err
	}
	if x.Row != r.number || !bytes.Equal(x.Input, r.input) {
		return false, fmt.Errorf("row %d is %s, but the earlier run answered row %d, %s: give the same rows", r.number, shown(r.input), x.Row, shown(x.Input))
	}
	return true, nil
}

// end reports a line behind the lines of all rows.
func (d *Done) end() error {
	x, err := d.next()
	if x != nil && err == nil {
		err = fmt.Errorf("the rows end before row %d, which the earlier run answered: give the same rows", x.Row)
	}
	return err
}

// shown is a row for a message.
func shown(input []byte) string {
	switch {
	case len(input) == 0:
		return "one that could not be read"
	case len(input) > 200:
		return string(bytes.ToValidUTF8(input[:200], nil)) + "…"
	}
	return string(input)
}
