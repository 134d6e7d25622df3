package queryset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Open reads the queries of a file or folder. Errors name the file and the position in it.
func Open(ctx context.Context, path string, o Options) (*Set, []Warning, error) {
	if o.Split == "" {
		o.Split = "test"
	}
	if !slices.Contains(Splits, o.Split) {
		return nil, nil, fmt.Errorf("unknown split %q, want %s", o.Split, strings.Join(Splits, ", "))
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	r := newReader(ctx, path, o)
	if info.IsDir() {
		err = r.folder(path)
	} else {
		err = r.file(path)
	}
	if err != nil {
		return nil, nil, err
	}
	set, err := r.finish()
	return set, r.warnings, err
}

// hasSplit reports whether a folder has queries of a split.
func hasSplit(folder, split string) bool {
	files, err := fitFiles(folder, split)
	return existing(filepath.Join(folder, split+"-queries.pkl")) != "" || err == nil && len(files) > 0
}

// folder reads a BetaE or FIT folder.
func (r *reader) folder(path string) error {
	split := r.options.Split
	r.split = split
	if existing(filepath.Join(path, split+"-queries.pkl")) != "" {
		return r.betae(path)
	}
	files, err := fitFiles(path, split)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		hint := ""
		if have := slices.DeleteFunc(slices.Clone(Splits), func(s string) bool { return !hasSplit(path, s) }); len(have) > 0 {
			hint = "; it has queries of " + strings.Join(have, " and ")
		}
		return fmt.Errorf("%s: no %s queries: looked for %[2]s-queries.pkl with its answers (BetaE), "+
			"%[2]s-qaa.json and %[2]s_type*_qaa.json (FIT, LMPNN); other files, such as a .jsonl, are named by themselves%s",
			path, split, hint)
	}
	for _, f := range files {
		if err := r.read(f, r.readFIT); err != nil {
			return err
		}
	}
	return nil
}

// file reads a file by its extension, without the extension of compression.
func (r *reader) file(path string) error {
	name := bareName(path)
	switch {
	case strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson"):
		return r.read(path, r.readLines)
	case strings.HasSuffix(name, ".json"):
		if err := checkName(path); err != nil {
			return err
		}
		return r.read(path, r.readFIT)
	case strings.HasSuffix(name, "-queries.pkl"):
		if split := strings.TrimSuffix(name, "-queries.pkl"); slices.Contains(Splits, split) {
			r.options.Split = split
			r.split = split
			return r.betae(filepath.Dir(path))
		}
	}
	return fmt.Errorf("%s: no queries that efoc knows: want a file that ends in .jsonl, qaa.json or -queries.pkl, perhaps with .gz or .zst, or a folder", path)
}

// fitFiles lists the files of queries and answers of a split, sorted.
func fitFiles(folder, split string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	names := regexp.MustCompile("^" + split + "[-_].*" + qaaFile + "$")
	var files []string
	for _, e := range entries {
		if names.MatchString(bareName(e.Name())) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files, err
}
