package importer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/efoc/efoc/runtime/internal/jsonfile"
)

// idTable maps the names of entities or relations to ids.
type idTable struct {
	kind   string
	names  []string
	labels []string // nil without labels
	ids    map[string]int32
	// open gives unknown names the next id.
	open bool
}

func (t *idTable) find(name []byte) (int32, error) {
	if len(name) == 0 {
		return 0, fmt.Errorf("the name of the %s is empty", t.kind)
	}
	id, ok := t.ids[string(name)]
	if !ok && t.open {
		if err := checkName(t.kind, name); err != nil {
			return 0, err
		}
		id = int32(len(t.names))
		t.names = append(t.names, string(name))
		t.ids[t.names[id]] = id
		return id, nil
	}
	if !ok {
		return 0, fmt.Errorf("unknown %s %q: it is not in the table of %d", t.kind, name, len(t.names))
	}
	return id, nil
}

// checkName reports a name that a model cannot have.
func checkName(kind string, name []byte) error {
	if i := strings.IndexFunc(string(name), unicode.IsControl); i >= 0 {
		return fmt.Errorf("the %s %q has a control character", kind, clip(name))
	}
	return nil
}

// agree reports a name with different ids in two tables.
func (t *idTable) agree(other *idTable) error {
	for id, name := range t.names {
		if o, ok := other.ids[name]; ok && int(o) != id {
			return fmt.Errorf("%s %q has id %d, but %d in the table given", t.kind, name, o, id)
		}
	}
	return nil
}

type idRow struct {
	id          int32
	name, label string
}

// appendIDRow parses line n of an id table, "id TAB name [TAB label]". The first may be a header, as in PyKEEN's.
func appendIDRow(rows []idRow, n int, line []byte) ([]idRow, error) {
	parts := strings.Split(string(line), "\t")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Errorf("%d %s in %q, want id, name and perhaps a label, separated by tabs", len(parts), plural("field", len(parts)), clip(line))
	}
	if n == 1 && parts[0] == "id" && (parts[1] == "label" || parts[1] == "name") {
		return rows, nil
	}
	id, err := strconv.ParseUint(parts[0], 10, 31)
	if err != nil {
		return nil, fmt.Errorf("id %q is not a number from 0 to %d", parts[0], math.MaxInt32)
	}
	parts = append(parts, "")
	return append(rows, idRow{int32(id), parts[1], parts[2]}), nil
}

// isID reports whether text is a valid id.
func isID(text string) bool {
	_, err := strconv.ParseUint(text, 10, 31)
	return err == nil
}

// readIDs reads a table of the ids 0 to n-1, in any order.
func (im *importer) readIDs(ctx context.Context, path, kind string) (*idTable, error) {
	var rows []idRow
	err := im.readLines(ctx, path, kind+" names", func(n int, line []byte) (err error) {
		rows, err = appendIDRow(rows, n, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	t, err := newIDTable(kind, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// newIDTable checks that ids are dense and names unique.
func newIDTable(kind string, rows []idRow) (*idTable, error) {
	n := len(rows)
	if n == 0 {
		return nil, fmt.Errorf("no %s", kind)
	}
	t := &idTable{kind: kind, names: make([]string, n), ids: make(map[string]int32, n)}
	for _, row := range rows {
		if row.id < 0 || int(row.id) >= n {
			return nil, fmt.Errorf("id %d of %q in a table of %d: ids must be 0 to %d, each once", row.id, row.name, n, n-1)
		}
		if row.name == "" {
			return nil, fmt.Errorf("the name of id %d is empty", row.id)
		}
		if t.names[row.id] != "" {
			return nil, fmt.Errorf("id %d is given to %q and to %q", row.id, t.names[row.id], row.name)
		}
		if other, ok := t.ids[row.name]; ok {
			return nil, fmt.Errorf("ids %d and %d are both named %q", other, row.id, row.name)
		}
		t.names[row.id] = row.name
		t.ids[row.name] = row.id
		if row.label != "" {
			if t.labels == nil {
				t.labels = make([]string, n)
			}
			t.labels[row.id] = row.label
		}
	}
	return t, nil
}

// maxIndexFile bounds the text of a kgindex.json, in bytes.
const maxIndexFile = 1 << 30

// readIndex reads FIT's kgindex.json: {"e": {name: id}, "r": {name: id}}, which lists relations with their inverses.
func (im *importer) readIndex(ctx context.Context, path string) (entities, relations *idTable, err error) {
	text, _, done, err := openText(path)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	data, err := io.ReadAll(io.LimitReader(text, maxIndexFile+1))
	switch {
	case err != nil:
	case len(data) > maxIndexFile:
		err = fmt.Errorf("more than the allowed %d bytes of text", maxIndexFile)
	default:
		entities, relations, err = parseIndex(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return entities, relations, im.addSource(ctx, "names", path)
}

// parseIndex parses a kgindex.json. It returns relations without their inverses.
func parseIndex(text []byte) (entities, relations *idTable, err error) {
	var index struct {
		E, R map[string]int32
	}
	if err := jsonfile.Read(text, &index, json.RejectUnknownMembers(false), json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, nil, err
	}
	entities, err = newIDTable("entity", indexRows(index.E))
	if err != nil {
		return nil, nil, err
	}
	directed, err := newIDTable("relation", indexRows(index.R))
	if err != nil {
		return nil, nil, err
	}
	relations, err = directed.foldDirections()
	return entities, relations, err
}

// indexRows lists the entries of one map of an index by id, then name.
func indexRows(ids map[string]int32) []idRow {
	rows := make([]idRow, 0, len(ids))
	for name, id := range ids {
		rows = append(rows, idRow{id: id, name: name})
	}
	slices.SortFunc(rows, func(a, b idRow) int {
		return cmp.Or(cmp.Compare(a.id, b.id), strings.Compare(a.name, b.name))
	})
	return rows
}

// foldDirections converts a table of directed relations, 2i and 2i+1, to one of relations. It drops the signs of
// directions in BetaE's names.
func (t *idTable) foldDirections() (*idTable, error) {
	if len(t.names)%2 != 0 {
		return nil, fmt.Errorf("%d directed relations, want an even number: relation i and its inverse are 2i and 2i+1", len(t.names))
	}
	rows := make([]idRow, len(t.names)/2)
	for i := range rows {
		rows[i] = idRow{id: int32(i), name: strings.TrimPrefix(t.names[2*i], "+")}
	}
	return newIDTable(t.kind, rows)
}
