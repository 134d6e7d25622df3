package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names of files to search for in a folder.
var (
	trainFiles = []string{"train.tsv", "train.txt", "train.nt", "train.ttl", "train.nq", "train.csv", "train.del",
		"numeric_triples.tsv"}
	entityFiles   = []string{"entities.tsv", "entities.dict", "entity_ids.del", "entity_to_id.tsv"}
	relationFiles = []string{"relations.tsv", "relations.dict", "relation_ids.del", "relation_to_id.tsv"}
	heldoutFiles  = []string{"heldout.tsv", "heldout.nt", "heldout.ttl", "heldout.nq", "heldout.csv"}
)

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
