package importer

import (
	"bytes"
	"fmt"
	"slices"
)

// tableReader reads the records of a table, which may begin with a header.
type tableReader struct {
	*factFile
	count int // of records read
	parts [][]byte
	// picks are the positions of facts among width fields, nil if a record is one fact.
	picks []pick
	width int
}

// line reads a line of head, relation and tail, or of the columns that the first line names.
func (t *tableReader) line(at int, line []byte) (err error) {
	separator := t.separator
	if t.numbers && separator == "" && bytes.IndexByte(line, '\t') < 0 {
		separator = spaceSeparator
	}
	t.parts, err = separator.Fields(line, t.parts[:0])
	if err != nil {
		return fmt.Errorf("%q: %w", clip(line), err)
	}
	return t.record(at, line)
}

// record adds the facts in the fields of a line, or of a CSV record if line is nil. The first may be a header.
func (t *tableReader) record(at int, line []byte) error {
	t.count++
	n := len(t.parts)
	if t.count == 1 {
		var names []string
		for _, p := range t.parts {
			names = append(names, string(p))
		}
		if t.namesColumns(names) || line == nil && n != 3 {
			return t.readHeader(names, line == nil)
		}
		t.first = names
	}
	switch {
	case t.picks == nil && n == 3:
		return t.to.link(at, [3][]byte(t.parts))
	case t.picks == nil && line == nil:
		return fmt.Errorf("%d %s, want head, relation and tail", n, plural("field", n))
	case t.picks == nil:
		return t.advised(line, fmt.Errorf("%d %s in %q, want head, relation and tail, separated by %s", n, plural("field", n), clip(line), t.separator))
	case n != t.width:
		return fmt.Errorf("%d %s, but there are %d columns", n, plural("field", n), t.width)
	}
	return t.addPicks(at, t.picks, t.parts)
}

// namesColumns reports whether the first record is a header, with the stated names or the usual ones.
func (t *tableReader) namesColumns(names []string) bool {
	if t.columns != nil || t.edges != nil {
		return true
	}
	for i := range headerWords {
		if !slices.ContainsFunc(names, func(name string) bool { return isHeaderWord(i, name) }) {
			return false
		}
	}
	return len(names) != 3 || !t.to.knows(t.parts)
}

// readHeader finds the columns of facts among those that the first record names.
func (t *tableReader) readHeader(names []string, csv bool) (err error) {
	t.width = len(names)
	t.picks, err = t.form.picks(names)
	if err == nil && t.columns == nil && t.edges == nil && !csv {
		at := t.picks[0].at
		t.header = header{names[at[0]], names[at[1]], names[at[2]]}
	}
	return err
}

// advised adds advice to the error for a line with a different number of fields.
func (t *tableReader) advised(line []byte, err error) error {
	const named = "the first line names the columns"
	switch {
	case line[0] == '#':
		return fmt.Errorf("%w (comments are not read: remove the lines that begin with #)", err)
	case len(t.parts) > 3:
		return &OptionError{err, named, optionColumns}
	case len(t.parts) == 2:
		return &OptionError{err, named, optionEdge}
	case t.separator != "":
		return err
	case len(bytes.Fields(line)) == 3:
		return &OptionError{err, "blanks separate them", "separator=space"}
	}
	for _, c := range []string{",", ";", "|"} {
		if bytes.Count(line, []byte(c)) >= 2 {
			return &OptionError{err, fmt.Sprintf("%q separates them", c), "separator=" + c}
		}
	}
	return err
}
