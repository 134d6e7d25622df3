package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// rowOrder says which rows of a checkpoint belong to which ids. The zero value is
// that of a checkpoint in the order of the graph's ids.
type rowOrder struct {
	// entities has the row of each entity, out of entityCount; nil for the order
	// of the graph.
	entities    []int32
	entityCount int
	relations   relationOrder
	// entityFile and relationFile are the files that say so.
	entityFile, relationFile string
}

// rowFolders are where trainers leave their id tables, seen from a checkpoint.
var rowFolders = []string{".", "training_triples"}

// rowFiles returns the tables that say in which order a checkpoint has its rows:
// those of the options, or else those beside it. An empty path means no table.
func (im *importer) rowFiles() (entities, relations string) {
	return im.rowFile(im.options.EntityRows, entityFiles), im.rowFile(im.options.RelationRows, relationFiles)
}

func (im *importer) rowFile(stated string, names []string) string {
	switch stated {
	case NoRows:
		return ""
	case "":
	default:
		return stated
	}
	folder := im.options.Checkpoint
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	for _, sub := range rowFolders {
		if file := firstFile(filepath.Join(folder, sub), names); file != "" {
			return file
		}
	}
	return ""
}

// readRows reads the tables that say in which order the checkpoint has its rows,
// and finds the graph's entities and relations in them. A table that the graph
// has its ids from says nothing new.
func (im *importer) readRows(ctx context.Context, g *graphData) (*rowOrder, error) {
	o := &rowOrder{}
	if g.n == 0 {
		// The graph has ids alone, and how many says the checkpoint.
		for _, file := range []string{im.options.EntityRows, im.options.RelationRows} {
			if file != "" && file != NoRows {
				return nil, fmt.Errorf("%s: the graph has no names to look up: give this as a table of the graph's ids, if the triples are by its names", file)
			}
		}
		return o, nil
	}
	entities, relations := im.rowFiles()
	if !sameFile(entities, g.entityFile) {
		t, err := im.readRowTable(ctx, entities, "entity", im.options.EntityRows != "", g.entities)
		if err != nil {
			return nil, err
		}
		if t != nil {
			o.entityFile, o.entityCount = entities, len(t.names)
			if o.entities, err = t.rowsOf(g.n, g.entityName); err != nil {
				return nil, fmt.Errorf("%s: %w", entities, err)
			}
			im.noteUnused(entities, "entities", len(t.names)-g.n)
		}
	}
	if sameFile(relations, g.relationFile) {
		return o, nil
	}
	t, err := im.readRowTable(ctx, relations, "relation", im.options.RelationRows != "", g.relationNames)
	if t == nil || err != nil {
		return o, err
	}
	o.relationFile = relations
	r := &o.relations
	r.count = len(t.names)
	if r.rows, err = t.rowsOf(2*g.relations, g.directedName); err == nil {
		r.directed = true
		return o, nil
	}
	if r.rows, err = t.rowsOf(g.relations, g.relationName); err != nil {
		return nil, fmt.Errorf("%s: %w", relations, err)
	}
	im.noteUnused(relations, "relations", len(t.names)-g.relations)
	return o, nil
}

// readRowTable reads a table of rows, or returns nil where there is none that
// says anything. A table that merely lies beside the checkpoint is used only if
// the graph's names, or else its numbers, are what it has.
func (im *importer) readRowTable(ctx context.Context, file, kind string, stated bool, names *idTable) (*idTable, error) {
	if file == "" {
		return nil, nil
	}
	sources := len(im.sources)
	t, err := im.readIDs(ctx, file, kind)
	if err != nil {
		return nil, err
	}
	if !stated && names == nil && !t.numeric() {
		im.options.Note(fmt.Sprintf("%s was left aside: the graph has no %s names to look up in it", file, kind))
		im.sources = im.sources[:sources]
		return nil, nil
	}
	return t, nil
}

// numeric reports whether all names are decimal numbers.
func (t *idTable) numeric() bool {
	for _, name := range t.names {
		if _, err := strconv.ParseUint(name, 10, 31); err != nil {
			return false
		}
	}
	return true
}

// rowsOf returns the ids of the given names.
func (t *idTable) rowsOf(n int, name func(int) string) ([]int32, error) {
	rows := make([]int32, n)
	missing, first := 0, ""
	for i := range n {
		row, ok := t.ids[name(i)]
		if !ok {
			if missing++; missing == 1 {
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

// noteUnused notes rows that the graph does not use.
func (im *importer) noteUnused(file, kind string, count int) {
	if count > 0 {
		im.options.Note(fmt.Sprintf("%s: %d %s are not in the graph, their rows are left out", file, count, kind))
	}
}

// entityName returns the name of an entity, its number if it has none.
func (g *graphData) entityName(e int) string { return g.entities.nameOr(e) }

// relationName returns the name of a relation, its number if it has none.
func (g *graphData) relationName(r int) string { return g.relationNames.nameOr(r) }

// directedName returns the name that BetaE's folders give to a directed
// relation: a sign and the name, or the number.
func (g *graphData) directedName(r int) string {
	if g.relationNames == nil {
		return strconv.Itoa(r)
	}
	return string("+-"[r%2]) + g.relationNames.names[r/2]
}

// nameOr returns the name of an id, or the id where there are no names.
func (t *idTable) nameOr(id int) string {
	if t == nil {
		return strconv.Itoa(id)
	}
	return t.names[id]
}

// sameFile reports whether both paths lead to one file, or the first to none.
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
