package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// csv reads a record, which is a line: no name goes on to the next one. If the line is no record,
// wrong says why.
func (l *lines) csv() (fields []string, wrong, err error) {
	for {
		x, err := l.next()
		if err != nil {
			return nil, nil, err
		}
		if wrong := x.wrong(); wrong != nil {
			return nil, wrong, nil
		}
		c := csv.NewReader(bytes.NewReader(bytes.TrimRight(x.text, "\r\n")))
		c.FieldsPerRecord = -1
		fields, wrong := c.Read()
		if wrong == io.EOF {
			continue // a blank line
		}
		if x, ok := errors.AsType[*csv.ParseError](wrong); ok {
			wrong = fmt.Errorf("column %d: %w", x.Column, x.Err)
		}
		return fields, wrong, nil
	}
}

// isBinary reports whether a name is no text.
func isBinary(name string) bool { return strings.IndexByte(name, 0) >= 0 }
