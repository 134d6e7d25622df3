package importer

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// columns are the names of the columns of heads, relations and tails, nil if they are not
// stated.
type columns []string

// columns returns those that the options name.
func (o *Options) columns() columns { return columns(o.Columns) }

func (c columns) check() error {
	switch {
	case len(c) == 0:
		return nil
	case len(c) != 3 || c[0] == c[1] || c[0] == c[2] || c[1] == c[2]:
		return fmt.Errorf("columns %q, want three names: of heads, relations and tails", []string(c))
	}
	return nil
}

// find returns where the columns are among those that a file has. Those that are not
// stated are recognised by their names.
func (c columns) find(names []string) (at [3]int, err error) {
	for i := range at {
		if c != nil {
			at[i] = slices.Index(names, c[i])
			if at[i] < 0 {
				return at, fmt.Errorf("there is no column %q among %s", c[i], list(names))
			}
			continue
		}
		at[i] = -1
		for j, name := range names {
			if !slices.Contains(headerWords[i], columnWord(name)) {
				continue
			}
			if at[i] >= 0 {
				return at, &OptionError{fmt.Errorf("column %q and column %q may both hold the %ss", names[at[i]], name, headerWords[i][0]), "", optionColumns}
			}
			at[i] = j
		}
		if at[i] < 0 {
			return at, &OptionError{fmt.Errorf("the columns are %s, none with a usual name for %ss", list(names), headerWords[i][0]), "", optionColumns}
		}
	}
	return at, nil
}

// list quotes names for an error, the first of them.
func list(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", clip([]byte(name))))
	}
	if len(names) > most {
		quoted = append(quoted, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(quoted, ", ")
}

// columnWord brings the name of a column into the form of headerWords.
func columnWord(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "#"))
}

// named takes the first record as the names of the columns, if they are stated or recognised: of
// three columns all, in CSV of more than three these. It reports whether that record is no fact.
func (r *tripleReader) named(parts [][]byte, csv bool) (bool, error) {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = string(p)
	}
	if !r.namesColumns(parts) && len(parts) == 3 {
		if r.entities != nil && r.relationFilter == nil {
			r.first = names
		}
		return false, nil
	}
	r.width = len(parts)
	if r.edges != nil {
		picks, err := edgePicks(r.edges, names)
		r.picks = picks
		return true, err
	}
	at, err := r.columns.find(names)
	r.picks = []pick{{at: at}}
	if err == nil && r.columns == nil && !csv {
		r.header = header{names[at[0]], names[at[1]], names[at[2]]}
	}
	return true, err
}

// namesColumns reports whether the first record has the names of the columns, as they are stated or
// recognised.
func (r *tripleReader) namesColumns(parts [][]byte) bool {
	if r.columns != nil || r.edges != nil {
		return true
	}
	for i := range headerWords {
		isWord := func(p []byte) bool { return slices.Contains(headerWords[i], columnWord(string(p))) }
		if !slices.ContainsFunc(parts, isWord) {
			return false
		}
	}
	return len(parts) != 3 || r.mayHaveHeader(parts)
}

// maxRecord bounds a record of CSV, in bytes.
const maxRecord = 16 << 20

// recordBounds passes text on, and refuses to as soon as a record is too long: a quote
// that nobody closes.
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

// readCSV reads CSV (RFC 4180), whose quoted fields may have line breaks. The first record may name
// the columns, which may be more than a fact needs.
func readCSV(ctx context.Context, name string, text *bufio.Reader, r *tripleReader, progress func(lines int64)) error {
	bounds := &recordBounds{from: text}
	records := csv.NewReader(bounds)
	records.ReuseRecord = true
	records.FieldsPerRecord = -1
	switch r.separator {
	case "":
	case Tab:
		records.Comma = '\t'
	default:
		records.Comma, _ = utf8.DecodeRuneInString(string(r.separator))
	}
	line := 0
	for n := 1; ; n++ {
		if n%lineBatch == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(int64(line))
		}
		fields, err := records.Read()
		var mistake *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			progress(int64(line))
			return ctx.Err()
		case errors.As(err, &mistake):
			return &lineError{name, mistake.Line, fmt.Errorf("column %d: %w", mistake.Column, mistake.Err)}
		case err != nil:
			return &lineError{name, line + 1, err}
		}
		bounds.start = records.InputOffset()
		line, _ = records.FieldPos(0)
		if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
			continue
		}
		r.parts = r.parts[:0]
		for _, field := range fields {
			if !utf8.ValidString(field) {
				return &lineError{name, line, errors.New("not valid UTF-8")}
			}
			r.parts = append(r.parts, []byte(field))
		}
		r.at = line
		if err := r.record(r.parts, true); err != nil {
			return &lineError{name, line, err}
		}
	}
}
