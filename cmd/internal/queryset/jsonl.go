package queryset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds a line, or an entry of a FIT file; answers make them long.
const maxLine = 64 << 20

// readLines reads JSON Lines; name is used in errors.
func (r *reader) readLines(name string, text io.Reader) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if formula, err := r.line(line); err != nil && !r.refuse(fmt.Sprintf("%s:%d", name, n), formula, err, 1) {
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

// line parses a query, and returns its formula, if any.
func (r *reader) line(text []byte) (formula string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return formula, err
	}
	typ, err := field[string](fields, "type", "a text")
	if err != nil {
		return formula, err
	}
	formula, err = field[string](fields, "formula", "a text")
	if err != nil {
		return formula, err
	}
	g, f, err := r.lineGroup(typ, formula)
	if err != nil || !r.wants(g) {
		return formula, err
	}
	var q Case
	q.Split, err = field[string](fields, "split", "a text")
	if err != nil {
		return formula, err
	}
	if q.Split != "" && !slices.Contains(Splits, q.Split) {
		return formula, fmt.Errorf("field split is %q, want %s", short(q.Split, maxQuoted), strings.Join(Splits, ", "))
	}
	var bad error
	q.Args, err = f.args(func(name string) (int32, bool) {
		value, ok := fields[name]
		id, err := strconv.ParseInt(string(value), 10, 32)
		if ok && (err != nil || id < 0) {
			bad = cmp.Or(bad, fmt.Errorf("field %s is %s, %w", name, short(value, maxQuoted), errID))
		}
		return int32(id), ok
	})
	if err := cmp.Or(bad, err); err != nil {
		return formula, err
	}
	if err := q.answers(fields); err != nil {
		return formula, err
	}
	g.Queries = append(g.Queries, q)
	return formula, nil
}

// answers parses the answers of a line.
func (q *Case) answers(fields map[string]json.RawMessage) (err error) {
	for i, ids := range []*[]int32{&q.Easy, &q.Hard} {
		name := []string{"easy", "hard"}[i]
		*ids, err = field[[]int32](fields, name, "a list of ids")
		if err != nil {
			return err
		}
		if err := checkIDs(name, *ids); err != nil {
			return err
		}
	}
	return nil
}

// lineGroup returns the group that a line names.
func (r *reader) lineGroup(typ, formula string) (*Group, *form, error) {
	shape, err := shapeNamed(typ)
	if formula == "" {
		if typ == "" {
			return nil, nil, errors.New("no field type, nor formula")
		}
		if err != nil {
			return nil, nil, err
		}
		formula = shape
	}
	f, bad := r.form(formula)
	if bad != nil {
		return nil, nil, bad
	}
	if err == nil && typ != f.name {
		return nil, nil, fmt.Errorf("type is %s, but formula is %s", typ, cmp.Or(f.name, "not of that shape"))
	}
	return r.group(cmp.Or(typ, f.name, f.formula), f), f, nil
}

// field parses a field, the zero value if absent; want describes its values.
func field[T any](fields map[string]json.RawMessage, name, want string) (value T, err error) {
	text, ok := fields[name]
	if !ok {
		return value, nil
	}
	if err = json.Unmarshal(text, &value); err != nil {
		err = fmt.Errorf("field %s is %s, want %s: %w", name, short(text, maxQuoted), want, err)
	}
	return value, err
}
