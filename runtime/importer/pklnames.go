package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nlpodyssey/gopickle/types"
)

// betaNames reads the names that BetaE keeps in id2ent.pkl and id2rel.pkl,
// where those files are there and asked for. Names that only repeat the id, such
// as entity/17, are left out: the id is shorter.
func (im *importer) betaNames(g *graphData, folder string, entities, relations bool) error {
	if file := filepath.Join(folder, "id2ent.pkl"); entities && exists(folder, "id2ent.pkl") {
		t, err := im.readPickledNames(file, "entity")
		if err != nil {
			return err
		}
		if !t.placeholders() {
			if len(t.names) != g.n {
				return fmt.Errorf("%s: %d entities, but stats.txt says %d", file, len(t.names), g.n)
			}
			g.entities = t
		}
	}
	if file := filepath.Join(folder, "id2rel.pkl"); relations && exists(folder, "id2rel.pkl") {
		t, err := im.readPickledNames(file, "relation")
		if err == nil {
			t, err = t.foldDirections()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !t.placeholders() {
			if len(t.names) != g.relations {
				return fmt.Errorf("%s: %d relations, but stats.txt says %d", file, len(t.names), g.relations)
			}
			g.relationNames = t
		}
	}
	return nil
}

// readPickledNames reads a pickled dict from id to name.
func (im *importer) readPickledNames(path, kind string) (*idTable, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxPickle {
		return nil, fmt.Errorf("%s: %d bytes, more than the allowed %d", path, info.Size(), maxPickle)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := parsePickledNames(data, kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	im.sources = append(im.sources, sourceOf(kind+" names", filepath.Base(path), data))
	return t, nil
}

func parsePickledNames(data []byte, kind string) (*idTable, error) {
	none := func(string, string) any { return nil }
	value, _, err := unpickle(data, none, nil)
	if err != nil {
		return nil, err
	}
	dict, ok := value.(*types.Dict)
	if !ok {
		return nil, errors.New("not a pickled dict from id to name")
	}
	rows := make([]idRow, 0, dict.Len())
	for _, e := range *dict {
		id, okID := e.Key.(int)
		name, okName := e.Value.(string)
		if !okID || !okName || id < 0 || id >= dict.Len() || name == "" {
			return nil, fmt.Errorf("entry %v: %v is not an id with its name", e.Key, e.Value)
		}
		rows = append(rows, idRow{id: int32(id), name: name})
	}
	return newIDTable(kind, rows)
}

// placeholders reports whether every name is its id behind one and the same
// prefix.
func (t *idTable) placeholders() bool {
	prefix := strings.TrimSuffix(t.names[0], "0")
	for id, name := range t.names {
		if name != prefix+strconv.Itoa(id) {
			return false
		}
	}
	return true
}
