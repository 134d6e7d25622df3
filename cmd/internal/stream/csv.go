package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errUnclosed refuses a row.
var errUnclosed = errors.New("a quotation mark in it is not closed")

// csv reads a record, which is several lines if quotation marks enclose their ends. If its
// first line begins no record, wrong says why, and the next record begins in the line after
// that: a quotation mark too many costs its own row alone.
func (l *lines) csv() (fields []string, wrong, err error) {
	first := line{}
	for !first.long && len(withoutEnd(first.text)) == 0 {
		if first, err = l.next(); err != nil {
			return nil, nil, err
		}
	}
	if first.long {
		return nil, errLong, nil
	}
	if bytes.IndexByte(first.text, '"') < 0 {
		return strings.Split(string(withoutEnd(first.text)), ","), first.wrong(), nil
	}
	record, more := slices.Clone(first.text), []line(nil)
	for open := opens(first.text, false); open; {
		x, err := l.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if err == nil {
			more = append(more, x)
		}
		if err != nil || x.long || len(record)+len(x.text) > maxLine {
			l.kept = append(more, l.kept...)
			return nil, errUnclosed, nil
		}
		record, open = append(record, x.text...), opens(x.text, true)
	}
	if wrong := (&line{text: record}).wrong(); wrong != nil {
		return nil, wrong, nil
	}
	c := csv.NewReader(bytes.NewReader(record))
	c.FieldsPerRecord = -1
	if fields, wrong = c.Read(); wrong != nil {
		if x, ok := errors.AsType[*csv.ParseError](wrong); ok {
			wrong = fmt.Errorf("line %d of it, column %d: %w", x.Line, x.Column, x.Err)
		}
		l.kept = append(more, l.kept...)
	}
	return fields, wrong, nil
}

// withoutEnd returns a line without its end.
func withoutEnd(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
}

// opens reports whether a line leaves a quotation mark open, after one that is open or not. A
// mistake ends the record: csv.Reader says what is wrong with it.
func opens(text []byte, open bool) bool {
	for {
		if !open {
			if !bytes.HasPrefix(text, []byte{'"'}) {
				field, rest, more := bytes.Cut(text, []byte{','})
				if !more || bytes.IndexByte(field, '"') >= 0 {
					return false
				}
				text = rest
				continue
			}
			text = text[1:]
		}
		_, rest, closed := bytes.Cut(text, []byte{'"'})
		switch {
		case !closed:
			return true
		case bytes.HasPrefix(rest, []byte{'"'}):
			open = true
		case bytes.HasPrefix(rest, []byte{','}):
			open = false
		default:
			return false
		}
		text = rest[1:]
	}
}

// isBinary reports whether a name is no text.
func isBinary(name string) bool { return strings.IndexByte(name, 0) >= 0 }
