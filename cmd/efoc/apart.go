package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// namedFile is a file or folder with the name that the command line has for it.
type namedFile struct{ name, path string }

func (f namedFile) String() string { return f.name + " " + f.path }

// checkApart reports an output that would replace an input, under whatever name or
// link, or another output. Files that are not given, or do not exist yet, clash
// with nothing.
func checkApart(outputs, inputs []namedFile) error {
	for i, out := range outputs {
		if out.path == "" {
			continue
		}
		for _, other := range outputs[:i] {
			if other.path != "" && samePath(out.path, other.path) {
				return usagef("%s is the file of %s too: name another one", out, other)
			}
		}
		info, err := os.Stat(out.path)
		if err != nil {
			continue
		}
		for _, in := range inputs {
			if file := readFrom(in.path, info); file != "" {
				in.path = file
				return usagef("%s would replace %s, which is read: name another file", out, in)
			}
		}
	}
	return nil
}

// samePath reports whether two paths are of one file, which need not be there yet.
func samePath(a, b string) bool {
	if one, err := os.Stat(a); err == nil {
		two, err := os.Stat(b)
		return err == nil && os.SameFile(one, two)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// readFrom returns the path of an input or, if it is a folder that holds the given
// file as data, of that file, or nothing.
func readFrom(input string, file os.FileInfo) string {
	info, err := os.Stat(input)
	if input == "" || err != nil {
		return ""
	}
	if !info.IsDir() {
		if os.SameFile(info, file) {
			return input
		}
		return ""
	}
	entries, err := os.ReadDir(input)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		path := filepath.Join(input, e.Name())
		if !isData(e.Name()) {
			continue
		}
		if info, err := os.Stat(path); err == nil && os.SameFile(info, file) {
			return path
		}
	}
	return ""
}

// dataEndings are what the names of files end in that are read from a folder as a
// graph, queries or embeddings. A report or model in such a folder may be replaced.
var dataEndings = []string{".tsv", ".txt", ".nt", ".del", ".dict", ".pkl", ".npy", "qaa.json", "kgindex.json"}

// isData reports whether a file of that name may be read from a folder.
func isData(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.ContainsFunc(dataEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}
