package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Separator separates the fields of a line of triples: tab (also the empty string), space, or one character.
type Separator string

const (
	// tabSeparator is a single tab; so is the empty Separator.
	tabSeparator Separator = "tab"
	// spaceSeparator is one or more blanks. Names then cannot contain blanks.
	spaceSeparator Separator = "space"
)

// Check reports an invalid separator. Besides tab and space, any character is valid that is neither a letter, a digit
// nor a quote.
func (s Separator) Check() error {
	if s == "" || s == tabSeparator || s == spaceSeparator {
		return nil
	}
	c, size := utf8.DecodeRuneInString(string(s))
	if size != len(s) || c == utf8.RuneError || !unicode.IsPrint(c) || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsSpace(c) || c == '"' || c == '\'' {
		return fmt.Errorf("separator %q, want %s, %s or one character, such as a comma", string(s), string(tabSeparator), string(spaceSeparator))
	}
	return nil
}

// String describes the separator.
func (s Separator) String() string {
	switch s {
	case "", tabSeparator:
		return "tabs"
	case spaceSeparator:
		return "blanks"
	}
	return fmt.Sprintf("%q", string(s))
}

// Fields splits a line, and appends the fields to the given slice. A single character separates fields as in CSV,
// where a quoted field may contain it.
func (s Separator) Fields(line []byte, into [][]byte) ([][]byte, error) {
	switch s {
	case "", "\t", tabSeparator:
		for field := range bytes.SplitSeq(line, []byte{'\t'}) {
			into = append(into, field)
		}
		return into, nil
	case spaceSeparator:
		if bytes.IndexByte(line, '\t') >= 0 {
			return into, errors.New("a tab in a line whose fields are to be separated by blanks")
		}
		return append(into, bytes.Fields(line)...), nil
	}
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma, _ = utf8.DecodeRuneInString(string(s))
	record, err := r.Read()
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		err = fmt.Errorf("column %d: %w", parse.Column, parse.Err)
	}
	for _, field := range record {
		into = append(into, []byte(field))
	}
	return into, err
}
