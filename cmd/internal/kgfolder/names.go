package kgfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// Files with counts and names.
const (
	indexFile = "kgindex.json"
	statsFile = "stats.txt"
)

const (
	// maxNames bounds a file of names, in bytes.
	maxNames = 1 << 30
	// maxIDs bounds the entities and relations.
	maxIDs = 100_000_000
)

// readNames has a file of names read, whose size is in bytes. Errors get its path.
func readNames(path string, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxNames {
		err = fmt.Errorf("%d bytes, more than the allowed %d", info.Size(), maxNames)
	} else {
		err = read(f, info.Size())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readIndex reads kgindex.json: {"e": {name: id}, "r": {name: id}}.
func (g *Graph) readIndex(path string) error {
	return readNames(path, func(r io.Reader, _ int64) error {
		var index struct{ E, R map[string]int32 }
		if err := json.NewDecoder(r).Decode(&index); err != nil {
			return err
		}
		for _, t := range []struct {
			kind  string
			ids   map[string]int32
			table *[]string
		}{{"entity", index.E, &g.Entities}, {"relation", index.R, &g.Relations}} {
			*t.table = make([]string, len(t.ids))
			for name, id := range t.ids {
				if err := setName(*t.table, t.kind, id, name); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeIndex writes kgindex.json, in the order of the ids.
func (g *Graph) writeIndex(folder string) error {
	entities, err := nameIndex(g.Entities)
	if err != nil {
		return err
	}
	relations, err := nameIndex(g.Relations)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, indexFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, `{"e": {%s}, "r": {%s}}`+"\n", entities, relations)
		return err
	})
}

// nameIndex returns "name": id, ….
func nameIndex(names []string) (string, error) {
	seen := make(map[string]bool, len(names))
	entries := make([]string, len(names))
	for id, name := range names {
		if seen[name] {
			return "", fmt.Errorf("two ids have the name %q", name)
		}
		seen[name] = true
		quoted, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		entries[id] = string(quoted) + ": " + strconv.Itoa(id)
	}
	return strings.Join(entries, ", "), nil
}

// readBetaENames reads stats.txt, and the names where they are there.
func (g *Graph) readBetaENames(folder string) error {
	path := filepath.Join(folder, statsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		key, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" && strings.TrimSpace(key) == "" {
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil || n > maxIDs {
			return fmt.Errorf("%s:%d: %q is not a count up to %d", path, i+1, value, maxIDs)
		}
		counts[strings.TrimSpace(key)] = int(n)
	}
	if g.Entities, err = readPickledNames(folder, "id2ent.pkl", "entity", counts["numentity"]); err != nil {
		return err
	}
	g.Relations, err = readPickledNames(folder, "id2rel.pkl", "relation", counts["numrelations"])
	return err
}

// readPickledNames reads a pickled dict from id to name, or makes BetaE's names up if
// there is no such file: entity/7, +relation/3 and its inverse -relation/3.
func readPickledNames(folder, file, kind string, n int) ([]string, error) {
	path := filepath.Join(folder, file)
	if !exists(path) {
		if err := checkNumber(folder, kind, n); err != nil {
			return nil, err
		}
		table := make([]string, n)
		for i := range table {
			if table[i] = "entity/" + strconv.Itoa(i); kind == "relation" {
				table[i] = "+-"[i%2:][:1] + "relation/" + strconv.Itoa(i/2)
			}
		}
		return table, nil
	}
	var table []string
	err := readNames(path, func(r io.Reader, size int64) error {
		if int64(n) > size { // each takes several bytes
			return fmt.Errorf("%d bytes do not name the %d that %s says", size, n, statsFile)
		}
		table = make([]string, n)
		count := 0
		err := pickle.ReadDict(r, func(d *pickle.Decoder, key, value pickle.Value) error {
			id, okID := d.Int(key)
			name, okName := d.Text(value)
			if !okID || !okName {
				return errors.New("want a dict from id to name")
			}
			count++
			return setName(table, kind, id, name)
		})
		if err == nil && count != n {
			err = fmt.Errorf("%d names, but %s says %d", count, statsFile, n)
		}
		return err
	})
	return table, err
}

// checkNumber refuses a number of ids without names that the triples cannot be about:
// every id takes some bytes there, and memory here.
func checkNumber(folder, kind string, n int) error {
	bytes := int64(0)
	for _, split := range Splits {
		info, err := os.Stat(filepath.Join(folder, split+".txt"))
		if err != nil {
			return err
		}
		bytes += info.Size()
	}
	if int64(n) > bytes {
		return fmt.Errorf("%s: count of %s ids is %d, but the triples take only %d bytes", filepath.Join(folder, statsFile), kind, n, bytes)
	}
	return nil
}

// writeBetaENames writes stats.txt and the names, by id and by name.
func (g *Graph) writeBetaENames(folder string) error {
	err := atomicfile.Write(filepath.Join(folder, statsFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "numentity: %d\nnumrelations: %d\n", len(g.Entities), len(g.Relations))
		return err
	})
	for _, t := range []struct {
		file   string
		names  []string
		byName bool
	}{
		{"id2ent.pkl", g.Entities, false}, {"ent2id.pkl", g.Entities, true},
		{"id2rel.pkl", g.Relations, false}, {"rel2id.pkl", g.Relations, true},
	} {
		if err != nil {
			return err
		}
		err = atomicfile.Write(filepath.Join(folder, t.file), func(to io.Writer) error {
			w := pickle.NewWriter(to)
			w.Dict()
			for id, name := range t.names {
				if t.byName {
					w.Text(name)
				}
				w.Int(int32(id))
				if !t.byName {
					w.Text(name)
				}
				w.Item()
			}
			return w.Close()
		})
	}
	return err
}
