package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/regularfile"
)

const maxPickle = 64 << 20

// readPickledNames reads BetaE's id2ent.pkl or id2rel.pkl: a pickled dict from id to name, with n names. It returns
// nil if the file does not exist, or if the names only repeat the id, such as entity/17.
func (im *importer) readPickledNames(ctx context.Context, path, kind string, n int) (*idTable, error) {
	data, err := regularfile.Read(path, maxPickle)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := parsePickledNames(data, kind)
	if err == nil && kind == "relation" {
		t, err = t.foldDirections()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case t.placeholders():
		return nil, nil
	case len(t.names) != n:
		return nil, fmt.Errorf("%s: names for %d ids, but stats.txt says %d", path, len(t.names), n)
	}
	return t, im.addSource(ctx, kind+" names", path)
}

func parsePickledNames(data []byte, kind string) (*idTable, error) {
	var rows []idRow
	err := pickle.ReadDict(bytes.NewReader(data), func(d *pickle.Decoder, key, value pickle.Value) error {
		id, okID := d.Int(key)
		name, okName := d.Text(value)
		if !okID || !okName || id < 0 || name == "" {
			return fmt.Errorf("entry %d: want %s ids from 0 with their names", len(rows), kind)
		}
		rows = append(rows, idRow{id: id, name: name})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newIDTable(kind, rows)
}

// placeholders reports whether every name is a common prefix and its id.
func (t *idTable) placeholders() bool {
	prefix := strings.TrimSuffix(t.names[0], "0")
	for id, name := range t.names {
		if name != prefix+strconv.Itoa(id) {
			return false
		}
	}
	return true
}
