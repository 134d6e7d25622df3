package queryset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxLine bounds a line, and an entry of a FIT file; answers make them long.
const maxLine = 64 << 20

// readLines reads JSON Lines; name is used in errors.
func (r *reader) readLines(name string, text io.Reader) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			continue
		}
		if err := r.line(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: a line is longer than %d bytes", name, maxLine)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// line reads a query.
func (r *reader) line(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	typ, err := stringField(fields, "type")
	if err != nil {
		return err
	}
	formula, err := stringField(fields, "formula")
	if err != nil {
		return err
	}
	if typ == "" && formula == "" {
		return errors.New("no field type, nor formula")
	}
	g, f, err := r.lineGroup(typ, formula)
	if err != nil {
		return err
	}
	if !r.wants(g) {
		return nil
	}
	var q Query
	var bad error
	q.Args, err = f.args(func(name string) (int32, bool) {
		value, ok := fields[name]
		if !ok {
			return 0, false
		}
		id, err := strconv.ParseInt(string(value), 10, 32)
		if err != nil || id < 0 {
			bad = cmp.Or(bad, fmt.Errorf("field %s is %s, %w", name, short(value), errID))
		}
		return int32(id), true
	})
	if err := cmp.Or(bad, err); err != nil {
		return err
	}
	if q.Easy, err = idField(fields, "easy"); err != nil {
		return err
	}
	if q.Hard, err = idField(fields, "hard"); err != nil {
		return err
	}
	g.Queries = append(g.Queries, q)
	return nil
}

// lineGroup returns the group that a line names.
func (r *reader) lineGroup(typ, formula string) (*Group, *form, error) {
	if formula == "" {
		s, err := shapeNamed(typ)
		if err != nil {
			return nil, nil, err
		}
		f, err := r.form(s)
		if err != nil {
			return nil, nil, err
		}
		return r.group(typ, f), f, nil
	}
	f, err := r.form(formula)
	if err != nil {
		return nil, nil, err
	}
	if _, err := shapeNamed(typ); err == nil && typ != f.name {
		return nil, nil, fmt.Errorf("type is %s, but formula is %s", typ, cmp.Or(f.name, "not of that shape"))
	}
	return r.group(cmp.Or(typ, f.name, f.formula), f), f, nil
}

// stringField returns a field that is a text, empty if there is none.
func stringField(fields map[string]json.RawMessage, name string) (string, error) {
	value, ok := fields[name]
	if !ok {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", fmt.Errorf("field %s is %s, want a text", name, short(value))
	}
	return text, nil
}

// idField returns a field that is a list of ids.
func idField(fields map[string]json.RawMessage, name string) ([]int32, error) {
	value, ok := fields[name]
	if !ok {
		return nil, nil
	}
	var ids []int32
	if err := json.Unmarshal(value, &ids); err != nil {
		return nil, fmt.Errorf("field %s: %w", name, err)
	}
	return ids, checkIDs(name, ids)
}

// checkIDs reports an id below 0.
func checkIDs(name string, ids []int32) error {
	for _, id := range ids {
		if id < 0 {
			return fmt.Errorf("field %s holds %d, %w", name, id, errID)
		}
	}
	return nil
}

// short cuts text that an error quotes.
func short(text []byte) string {
	if len(text) > 100 {
		return string(text[:100]) + "…"
	}
	return string(text)
}
