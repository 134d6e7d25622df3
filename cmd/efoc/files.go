package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer"
)

// graphFlags say how a graph is written.
type graphFlags struct {
	Separator string   `placeholder:"SEPARATOR" help:"What separates head, relation and tail in the files of triples: tab, space (one blank or more, so that names have none) or a character, such as a comma; tab if not given, a comma in a file .csv."`
	Columns   []string `placeholder:"HEAD,RELATION,TAIL" help:"Columns of heads, relations and tails in CSV, Parquet and text whose first line names the columns; if not given, CSV and Parquet are searched for the usual names, such as subject, predicate and object."`
	Literals  string   `enum:"skip,keep" default:"skip" placeholder:"skip|keep" help:"What to do with literals in RDF: skip leaves out, and counts, statements about them, keep makes entities of them (default: ${default})."`
}

// Validate reports an invalid separator, or columns that are not three; the parser of the
// command line calls it.
func (f graphFlags) Validate() error {
	if len(f.Columns) != 0 && len(f.Columns) != 3 {
		return errors.New("--columns: want three names, of heads, relations and tails, separated by commas")
	}
	return importer.Separator(f.Separator).Check()
}

// addTo puts the flags into options.
func (f graphFlags) addTo(o *importer.Options) {
	o.Separator, o.Columns, o.KeepLiterals = importer.Separator(f.Separator), f.Columns, f.Literals == "keep"
}

// importOptions returns the options to read a graph with, which show progress and
// what is noteworthy on stderr.
func (f graphFlags) importOptions(a *app, graph string) importer.Options {
	o := importer.Options{Graph: graph, Progress: a.bar.show, Note: func(text string) { a.notef("%s", text) }}
	f.addTo(&o)
	return o
}

// openQueries reads a set of queries, with a bar, and shows the warnings.
func (a *app) openQueries(path string, o queryset.Options) (*queryset.Set, error) {
	o.Progress = a.bar.show
	set, warnings, err := queryset.Open(a.ctx, path, o)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		a.warnf("%s", w)
	}
	for _, r := range set.Refused {
		a.refuse(usageError{r})
	}
	return set, nil
}

// outputFile is a file to write, or none if the path is empty.
type outputFile struct {
	path  string
	write func(io.Writer) error
}

// writeFiles writes files, each whole or not at all.
func writeFiles(files ...outputFile) error {
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := atomicfile.Write(f.path, f.write); err != nil {
			return err
		}
	}
	return nil
}

// writeBytes writes a file whole or not at all.
func writeBytes(path string, text []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// writable reports the first file that could not be written, before the work whose
// result it is to hold. Empty paths mean no file.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := cmp.Or(atomicfile.Check(path), checkJournal(path)); err != nil {
			return err
		}
	}
	return nil
}

// namedFile is a file or folder with the name that the command line has for it.
type namedFile struct{ name, path string }

func (f namedFile) String() string { return f.name + " " + f.path }

// checkApart reports an output that would replace an input, under whatever name or
// link, or another output. Files that are not given, or do not exist yet, clash
// with nothing.
func checkApart(outputs, inputs []namedFile) error {
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if samePath(out.path, other.path) {
				return usagef("%s is the file of %s too: name another one", out, other)
			}
		}
		if _, err := os.Stat(out.path); err != nil {
			continue
		}
		for _, in := range inputs {
			if file := readFrom(in.path, out.path); file != "" {
				in.path = file
				return usagef("%s would replace %s, which is read: name another file", out, in)
			}
		}
	}
	return nil
}

// samePath reports whether two paths are of one file, which need not be there yet.
func samePath(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, errA := os.Stat(a)
	two, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(one, two)
	}
	a, errA = filepath.Abs(a)
	b, errB = filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// readFrom returns the path of an input or, if it is a folder that holds the given
// file as data, of that file, or nothing.
func readFrom(input, file string) string {
	paths := []string{input}
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		paths = nil
		entries, _ := os.ReadDir(input) // one that cannot be read is an error to come
		for _, e := range entries {
			if isData(e.Name()) {
				paths = append(paths, filepath.Join(input, e.Name()))
			}
		}
	}
	for _, path := range paths {
		if samePath(path, file) {
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
