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

// line reads one line of head, relation and tail.
func (t *tableReader) line(at int, line []byte) (err error) {
	t.parts, err = t.split(line)
	if err != nil {
		return fmt.Errorf("%q: %w", clip(line), err)
	}
	if len(t.parts) != 3 && t.picks == nil && (t.count > 0 || !t.namesColumns(t.parts)) {
		return t.advised(line, fmt.Errorf("%d %s in %q, want head, relation and tail, separated by %s", len(t.parts), plural("field", len(t.parts)), clip(line), t.separator))
	}
	return t.record(at, t.parts, false)
}

// record adds the fact in the fields of a line or of a CSV record. The first may be a header.
func (t *tableReader) record(at int, parts [][]byte, csv bool) error {
	t.count++
	if t.count == 1 {
		if top, err := t.named(parts, csv); top || err != nil {
			return err
		}
	}
	switch {
	case t.picks != nil && len(parts) != t.width:
		return fmt.Errorf("%d %s, but there are %d columns", len(parts), plural("field", len(parts)), t.width)
	case t.picks != nil:
		return t.addPicks(at, t.picks, parts)
	case len(parts) != 3:
		return fmt.Errorf("%d %s, want head, relation and tail", len(parts), plural("field", len(parts)))
	}
	return t.link(at, [3][]byte(parts))
}

// addPicks adds the facts of the fields of a record.
func (r *factFile) addPicks(at int, picks []pick, parts [][]byte) error {
	for i := range picks {
		if e := picks[i].value; e != nil {
			if err := r.cell(at, parts[picks[i].at[0]], e, parts[picks[i].at[2]]); err != nil {
				return err
			}
			continue
		}
		fact := picks[i].fact(parts)
		if fact == nil {
			continue
		}
		if err := r.link(at, *fact); err != nil {
			return err
		}
	}
	return nil
}

func (t *tableReader) split(line []byte) ([][]byte, error) {
	if t.numbers && t.separator == "" && bytes.IndexByte(line, '\t') < 0 {
		return spaceSeparator.fields(line, t.parts[:0])
	}
	return t.separator.fields(line, t.parts[:0])
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
		return &OptionError{err, named, "edge=COLUMN -RELATION-> COLUMN"}
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

// clip truncates a line for an error.
func clip(line []byte) []byte {
	const most = 80
	if len(line) <= most {
		return line
	}
	return append(bytes.ToValidUTF8(line[:most], nil), "…"...)
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// named takes the first record as a header if the columns are stated or recognised: all of three columns, or in CSV
// with more than three the usual names. It reports whether that record is no fact.
func (t *tableReader) named(parts [][]byte, csv bool) (bool, error) {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = string(p)
	}
	if !t.namesColumns(parts) && len(parts) == 3 {
		if t.relations == nil {
			t.first = names
		}
		return false, nil
	}
	t.width = len(parts)
	if t.edges != nil {
		picks, err := edgePicks(t.edges, names)
		t.picks = picks
		return true, err
	}
	at, err := t.columns.find(names)
	t.picks = []pick{{at: at}}
	if err == nil && t.columns == nil && !csv {
		t.header = header{names[at[0]], names[at[1]], names[at[2]]}
	}
	return true, err
}

// namesColumns reports whether the first record is a header with the stated or recognised names.
func (t *tableReader) namesColumns(parts [][]byte) bool {
	if t.columns != nil || t.edges != nil {
		return true
	}
	for i := range headerWords {
		isWord := func(p []byte) bool { return slices.Contains(headerWords[i], columnWord(string(p))) }
		if !slices.ContainsFunc(parts, isWord) {
			return false
		}
	}
	return len(parts) != 3 || !t.to.knows(parts)
}
