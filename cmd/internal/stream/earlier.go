package stream

import (
	"bytes"
	"fmt"
	"iter"
)

// earlier compares rows with the lines of an earlier run.
type earlier struct {
	next func() (Line, error, bool)
	stop func()
}

// startEarlier starts at the first line; lines is nil without an earlier run.
func startEarlier(lines iter.Seq2[Line, error]) *earlier {
	if lines == nil {
		lines = func(func(Line, error) bool) {}
	}
	next, stop := iter.Pull2(lines)
	return &earlier{next, stop}
}

// has reports whether the next line answers a row. A line for another row is an error.
func (e *earlier) has(r *row) (bool, error) {
	x, err, ok := e.next()
	if !ok || err != nil {
		return false, err
	}
	if x.Row != r.number || !bytes.Equal(x.Input, r.input) {
		return false, fmt.Errorf("row %d is %s, but the earlier run answered row %d, %s: give the same rows", r.number, shown(r.input), x.Row, shown(x.Input))
	}
	return true, nil
}

// end reports a line after the lines of all rows.
func (e *earlier) end() error {
	x, err, ok := e.next()
	if ok && err == nil {
		err = fmt.Errorf("the rows end before row %d, which the earlier run answered: give the same rows", x.Row)
	}
	return err
}

// shown formats a row for a message.
func shown(input []byte) string {
	switch {
	case len(input) == 0:
		return "one that could not be read"
	case len(input) > 200:
		return string(bytes.ToValidUTF8(input[:200], nil)) + "…"
	}
	return string(input)
}
