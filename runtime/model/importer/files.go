package importer

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of files to search for in a folder.
var (
	entityFiles   = []string{"entities.tsv", "entities.dict", "entity_ids.del", "entity_to_id.tsv"}
	relationFiles = []string{"relations.tsv", "relations.dict", "relation_ids.del", "relation_to_id.tsv"}
)

// factFiles returns the names of a file of facts in each format.
func factFiles(split string) []string {
	names := []string{split + ".tsv", split + ".txt"}
	for _, end := range slices.Sorted(maps.Keys(formats)) {
		names = append(names, split+end)
	}
	return append(names, split+".del")
}

// numericTriples reports whether a file of that name has ids instead of names, like the files of LibKGE and PyKEEN
// beside id tables.
func numericTriples(path string) bool {
	base := plainName(path)
	return strings.HasSuffix(base, ".del") || base == "numeric_triples.tsv"
}

// compressions are the alternative extensions of file names.
var compressions = []string{"", ".gz", ".zst", ".bz2"}

// plainName returns the name of a file without folder and compression.
func plainName(path string) string {
	base := filepath.Base(path)
	for _, end := range compressions[1:] {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// firstFile returns the path of the first of the files that exists in the folder, compressed or not, or nothing. There
// are none without a folder.
func firstFile(folder string, names []string) string {
	if folder == "" {
		return ""
	}
	for _, name := range names {
		for _, end := range compressions {
			path := filepath.Join(folder, name+end)
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				return path
			}
		}
	}
	return ""
}
