package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxRecord bounds a record of CSV, in bytes.
const maxRecord = 16 << 20

// maxNames bounds the part of the first line that is searched for separators, in bytes.
const maxNames = 64 << 10

// recordBounds passes text on until a record is too long, which means that a quote is not closed.
type recordBounds struct {
	from        io.Reader
	read, start int64
}

var errRecord = fmt.Errorf("a record of more than %d bytes: perhaps a quote that is not closed", maxRecord)

func (b *recordBounds) Read(p []byte) (int, error) {
	if b.read-b.start > maxRecord {
		return 0, errRecord
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	return n, err
}

// readCSV reads CSV (RFC 4180), with line breaks in quoted fields. The first record may name the columns; a fact need
// not use all of them.
func readCSV(r *factFile) error {
	t := tableReader{factFile: r}
	bounds := &recordBounds{from: r.text}
	records := csv.NewReader(bounds)
	records.ReuseRecord = true
	records.FieldsPerRecord = -1
	switch r.separator {
	case "":
		start, _ := r.text.Peek(maxNames)
		first, _, _ := bytes.Cut(start, []byte("\n"))
		if bytes.IndexByte(first, ',') < 0 && bytes.Count(first, []byte(";")) >= 2 {
			return &lineError{r.path, 1, &OptionError{fmt.Errorf("no comma in %q", clip(bytes.TrimSpace(first))), `";" separates the columns`, "separator=;"}}
		}
	case tabSeparator:
		records.Comma = '\t'
	default:
		records.Comma, _ = utf8.DecodeRuneInString(string(r.separator))
	}
	line := 0
	for n := 1; ; n++ {
		if err := r.pause(n, line); err != nil {
			return err
		}
		fields, err := records.Read()
		var mistake *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			r.progress(int64(line))
			return r.ctx.Err()
		case errors.As(err, &mistake):
			return &lineError{r.path, mistake.Line, fmt.Errorf("column %d: %w", mistake.Column, mistake.Err)}
		case err != nil:
			return &lineError{r.path, line + 1, err}
		}
		bounds.start = records.InputOffset()
		line, _ = records.FieldPos(0)
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue
		}
		t.parts = t.parts[:0]
		for _, field := range fields {
			if !utf8.ValidString(field) {
				return &lineError{r.path, line, errors.New("not valid UTF-8")}
			}
			t.parts = append(t.parts, []byte(field))
		}
		if err := t.record(line, nil); err != nil {
			return &lineError{r.path, line, err}
		}
	}
}
