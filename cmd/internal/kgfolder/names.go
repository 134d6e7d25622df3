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

// openNames opens a file of names.
func openNames(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxNames {
		err = fmt.Errorf("%s: %d bytes, more than the allowed %d", path, info.Size(), maxNames)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// index is kgindex.json.
type index struct {
	E map[string]int32 `json:"e"`
	R map[string]int32 `json:"r"`
}

// readIndex reads kgindex.json.
func (g *Graph) readIndex(path string) error {
	f, err := openNames(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var x index
	if err := json.NewDecoder(f).Decode(&x); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	g.Entities, g.Relations = make([]string, len(x.E)), make([]string, len(x.R))
	for name, id := range x.E {
		if err := setName(g.Entities, "entity", id, name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for name, id := range x.R {
		if err := setName(g.Relations, "relation", id, name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := g.checkCounts(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// checkCounts checks that there is something, and that relations have inverses.
func (g *Graph) checkCounts() error {
	if len(g.Entities) == 0 || len(g.Relations) == 0 || len(g.Relations)%2 != 0 {
		return fmt.Errorf("%d entities and %d directed relations, want some, and relations with their inverses", len(g.Entities), len(g.Relations))
	}
	return nil
}

// writeIndex writes kgindex.json, in the order of the ids.
func (g *Graph) writeIndex(folder string) error {
	return atomicfile.Write(filepath.Join(folder, indexFile), func(w io.Writer) error {
		text := []byte(`{"e": `)
		var err error
		if text, err = appendNames(text, g.Entities); err != nil {
			return err
		}
		if text, err = appendNames(append(text, `, "r": `...), g.Relations); err != nil {
			return err
		}
		_, err = w.Write(append(text, "}\n"...))
		return err
	})
}

// appendNames appends {name: id}.
func appendNames(text []byte, names []string) ([]byte, error) {
	seen := make(map[string]bool, len(names))
	text = append(text, '{')
	for id, name := range names {
		if seen[name] {
			return nil, fmt.Errorf("two ids have the name %q", name)
		}
		seen[name] = true
		if id > 0 {
			text = append(text, ", "...)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		text = strconv.AppendInt(append(append(text, quoted...), ": "...), int64(id), 10)
	}
	return append(text, '}'), nil
}

// readBetaENames reads stats.txt, and the names where they are there.
func (g *Graph) readBetaENames(folder string) error {
	path := filepath.Join(folder, statsFile)
	counts := map[string]int{}
	err := eachLine(path, func(line []byte) error {
		key, value, _ := strings.Cut(string(line), ":")
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil || n > maxIDs {
			return fmt.Errorf("%q is not a count up to %d", strings.TrimSpace(value), maxIDs)
		}
		counts[strings.TrimSpace(key)] = int(n)
		return nil
	})
	if err != nil {
		return err
	}
	if g.Entities, err = readPickledNames(filepath.Join(folder, "id2ent.pkl"), "entity", counts["numentity"], entityName); err != nil {
		return err
	}
	if g.Relations, err = readPickledNames(filepath.Join(folder, "id2rel.pkl"), "relation", counts["numrelations"], relationName); err != nil {
		return err
	}
	if err := g.checkCounts(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readPickledNames reads a pickled dict from id to name, or makes names up if
// there is no such file.
func readPickledNames(path, kind string, n int, name func(i int) string) ([]string, error) {
	if !exists(path) {
		if err := checkNumber(filepath.Dir(path), kind, n); err != nil {
			return nil, err
		}
		return numbered(n, name), nil
	}
	f, err := openNames(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if int64(n) > info.Size() { // each takes several bytes
		return nil, fmt.Errorf("%s: %d bytes do not name the %d that %s says", path, info.Size(), n, statsFile)
	}
	table, count := make([]string, n), 0
	err = pickle.ReadDict(f, func(d *pickle.Decoder, key, value pickle.Value) error {
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
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, nil
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
	stats := fmt.Sprintf("numentity: %d\nnumrelations: %d\n", len(g.Entities), len(g.Relations))
	if err := atomicfile.Write(filepath.Join(folder, statsFile), func(w io.Writer) error {
		_, err := io.WriteString(w, stats)
		return err
	}); err != nil {
		return err
	}
	for _, t := range []struct {
		kind  string
		names []string
	}{{"ent", g.Entities}, {"rel", g.Relations}} {
		for _, byName := range []bool{false, true} {
			file := "id2" + t.kind + ".pkl"
			if byName {
				file = t.kind + "2id.pkl"
			}
			if err := atomicfile.Write(filepath.Join(folder, file), func(w io.Writer) error {
				return pickleNames(w, t.names, byName)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pickleNames writes a dict between id and name.
func pickleNames(to io.Writer, names []string, byName bool) error {
	w := pickle.NewWriter(to)
	w.Dict()
	for id, name := range names {
		if byName {
			w.Text(name)
			w.Int(int32(id))
		} else {
			w.Int(int32(id))
			w.Text(name)
		}
		w.Item()
	}
	return w.Close()
}
