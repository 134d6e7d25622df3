package main

import (
	"cmp"
	"errors"
	"io"

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
