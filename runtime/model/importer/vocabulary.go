package importer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime/model/names"
)

// vocabulary describes the entities of a graph, or its relations.
type vocabulary struct {
	kind, plural string
	// stated and statedRows are the tables in the options: of ids, and of a checkpoint's rows. files are the
	// default names to search for.
	stated, statedRows string
	files              []string

	// count is 0 if only the checkpoint determines it.
	count int
	// ids is nil without names; file is its source.
	ids  *idTable
	file string
	// top is the largest id, for numeric ids.
	top largest
}

// largest is the largest id in files of triples, with its position.
type largest struct {
	id   int32
	file string
	line int
}

func (l *largest) raise(other largest, file string) {
	if l.file == "" || other.id > l.id {
		*l = largest{other.id, file, other.line}
	}
}

// rowOrder maps the ids of a graph to rows of a checkpoint's table.
type rowOrder struct {
	// file is the table that defines the order, empty for the graph's order.
	file string
	// count is the number of entities or relations in the rows, without inverses of relations if layouts provide for
	// those.
	count int
	// rows has the row of each id, or of each directed relation if both directions have names. It is nil for the
	// graph's order.
	rows     []int32
	directed bool
}

// has begins a sentence about the expected contents of a checkpoint's table.
func (o rowOrder) has() string {
	if o.file == "" {
		return "the graph has"
	}
	return o.file + " has"
}

// names returns the names of the ids, numbers by default.
func (v *vocabulary) names() (*names.Names, error) {
	if v.ids == nil {
		return names.Numbered(v.kind, v.count), nil
	}
	return names.New(v.kind, v.ids.names, v.ids.labels)
}

// name returns the name of an id, its number by default.
func (v *vocabulary) name(id int) string {
	if v.ids == nil {
		return strconv.Itoa(id)
	}
	return v.ids.names[id]
}

// directedName returns the name of a directed relation in BetaE's folders: a sign and the name, or the number.
func (v *vocabulary) directedName(r int) string {
	if v.ids == nil {
		return strconv.Itoa(r)
	}
	return string("+-"[r%2]) + v.ids.names[r/2]
}

// findTable finds the table of ids: the one in the options, otherwise one in the folder.
func (v *vocabulary) findTable(folder string) {
	v.file = cmp.Or(v.stated, firstFile(folder, v.files))
}

// rowFile returns the table of the checkpoint's row order: the one in the options, otherwise one beside the
// checkpoint, or nothing.
func (v *vocabulary) rowFile(checkpoint string) string {
	switch v.statedRows {
	case noRows:
		return ""
	case "":
	default:
		return v.statedRows
	}
	if info, err := os.Stat(checkpoint); err != nil || !info.IsDir() {
		checkpoint = filepath.Dir(checkpoint)
	}
	pykeen := filepath.Join(checkpoint, "training_triples")
	return cmp.Or(firstFile(checkpoint, v.files), firstFile(pykeen, v.files))
}

// readRows reads the table of the checkpoint's row order, and finds the graph's names in it. It ignores the table
// that the graph's ids come from. A table found beside the checkpoint is used only if it has the graph's names, or
// its numbers.
func (im *importer) readRows(ctx context.Context, v *vocabulary, checkpoint string) (o rowOrder, err error) {
	o.count = v.count
	if v.count == 0 {
		// The graph has only ids, and the checkpoint determines their number.
		if v.statedRows != "" && v.statedRows != noRows {
			err = fmt.Errorf("%s: the graph has no names to look up: "+
				"give this as a table of the graph's ids, if the triples are by its names", v.statedRows)
		}
		return o, err
	}
	file := v.rowFile(checkpoint)
	if sameFile(file, v.file) {
		return o, nil
	}
	sources := len(im.sources)
	t, err := im.readIDs(ctx, file, v.kind)
	if err != nil {
		return o, err
	}
	if v.statedRows == "" && v.ids == nil && !t.numeric() {
		im.options.Note(fmt.Sprintf("%s was left aside: the graph has no %s names to look up in it", file, v.kind))
		im.sources = im.sources[:sources]
		return o, nil
	}
	o.file, o.count = file, len(t.names)
	if v.kind == "relation" {
		o.rows, err = t.rowsOf(2*v.count, v.directedName)
		if err == nil {
			o.directed = true
			return o, nil
		}
	}
	o.rows, err = t.rowsOf(v.count, v.name)
	if err != nil {
		return o, fmt.Errorf("%s: %w", file, err)
	}
	if unused := o.count - v.count; unused > 0 {
		im.options.Note(fmt.Sprintf("%s: %d %s are not in the graph, their rows are left out", file, unused, v.plural))
	}
	return o, nil
}

func (t *idTable) numeric() bool {
	return !slices.ContainsFunc(t.names, func(name string) bool { return !isID(name) })
}

// rowsOf returns the ids of the given names.
func (t *idTable) rowsOf(n int, name func(int) string) ([]int32, error) {
	rows := make([]int32, n)
	missing := 0
	first := ""
	for i := range n {
		row, ok := t.ids[name(i)]
		if !ok {
			missing++
			if missing == 1 {
				first = name(i)
			}
		}
		rows[i] = row
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of the graph's %d names, such as %s %q, are not in this table of the checkpoint's %d rows: "+
			"it belongs to another graph; name the right table, or \"none\" if the rows are in the order of the graph's ids",
			missing, n, t.kind, first, len(t.names))
	}
	return rows, nil
}

// sameFile reports whether both paths are one file, or the first does not exist.
func sameFile(a, b string) bool {
	if a == "" || a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
