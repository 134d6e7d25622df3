package importer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names of files that are looked for in a folder.
var (
	trainFiles    = []string{"train.tsv", "train.txt", "train.nt", "train.del", "numeric_triples.tsv"}
	entityFiles   = []string{"entities.tsv", "entities.dict", "entity_ids.del", "entity_to_id.tsv"}
	relationFiles = []string{"relations.tsv", "relations.dict", "relation_ids.del", "relation_to_id.tsv"}
	heldoutFiles  = []string{"heldout.tsv", "heldout.nt"}
)

// numericTriples reports whether a file of that name has ids for names, as those
// of LibKGE and PyKEEN have which lie beside id tables.
func numericTriples(path string) bool {
	base := plainName(path)
	return strings.HasSuffix(base, ".del") || base == "numeric_triples.tsv"
}

// namedTriples reports whether the first triple of a file has names that are not
// numbers. A line with the names of the columns is not a triple. What is wrong with a
// file is found when it is read.
func (im *importer) namedTriples(ctx context.Context, path string) (named bool) {
	if isNTriples(path) {
		return true
	}
	first := errors.New("first line")
	_ = scanFile(ctx, path, func(line []byte) error {
		parts, err := im.options.Separator.fields(line, nil)
		if err != nil {
			return err
		}
		if header, err := headerOf(parts); header != nil && err == nil {
			return nil
		}
		for _, field := range parts {
			named = named || !isID(string(field))
		}
		return first
	}, func(int64) {})
	return named
}

// compressions are the ends of the names of files that may be there instead.
var compressions = []string{"", ".gz", ".zst"}

// plainName is the name of a file without folder and compression.
func plainName(path string) string {
	base := filepath.Base(path)
	for _, end := range compressions[1:] {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// firstFile returns the path of the first of the files that the folder has,
// compressed or not, or nothing.
func firstFile(folder string, names []string) string {
	for _, name := range names {
		for _, end := range compressions {
			if path := filepath.Join(folder, name+end); exists(path) {
				return path
			}
		}
	}
	return ""
}
