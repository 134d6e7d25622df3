package main

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer"
)

// graphFlags say how a graph is written.
type graphFlags struct {
	Triples cli.OptionList `sep:"none" options:"triples" placeholder:"NAME=VALUE" help:"Format of files of triples, such as separator=space; may be repeated."`
}

// tripleFormat is what --triples gives.
type tripleFormat struct{ importer.Options }

func (f *tripleFormat) options() []cli.Option {
	return []cli.Option{
		{Name: "separator", Help: "tab, space (one blank or more) or a character; tab by default, a comma in a file .csv", Set: func(text string) error {
			f.Separator = importer.Separator(text)
			return f.Separator.Check()
		}},
		{Name: "columns", Help: "HEAD,RELATION,TAIL: names of columns of CSV and text with a line of names; by default the usual ones, such as subject,predicate,object", Set: func(text string) error {
			f.Columns = strings.Split(text, ",")
			if len(f.Columns) != 3 {
				return errors.New("columns: want three names, of heads, relations and tails, separated by commas")
			}
			return nil
		}},
		{Name: "edge", Sign: "->", Help: "COLUMN -RELATION-> COLUMN, where edge= may be left out, and several times: facts of two columns each, in place of columns; COLUMN:number or COLUMN:date has values of the other column's entities", Set: func(text string) error {
			e, err := importer.ParseEdge(text)
			f.Edges = append(f.Edges, e)
			return err
		}},
		{Name: "literals", Help: "of RDF: skip leaves out, and counts, statements about literals (default), values makes numbers and dates values of entities, keep makes all literals entities", Set: func(text string) error {
			f.Literals = importer.Literals(text)
			return f.Literals.Check()
		}},
		{Name: "lang", Help: "of RDF: language of labels, such as de; by default those without a language, then English", Set: func(text string) error {
			f.Language = text
			return nil
		}},
	}
}

// format reads the flag.
func (f graphFlags) format() (format tripleFormat, err error) {
	return format, f.Triples.Set("--triples", format.options())
}

// Validate reports a mistake in the flag; the parser of the command line calls it.
func (f graphFlags) Validate() error {
	_, err := f.format()
	return err
}

// importOptions returns the options to read a graph with. They show progress and notes on stderr.
func (f graphFlags) importOptions(a *app, graph string) importer.Options {
	format, _ := f.format() // which Validate has checked
	o := format.Options
	o.Graph = graph
	o.Progress = a.bar.Show
	o.Note = func(text string) { a.notef("%s", text) }
	return o
}

// openQueries reads a set of queries, with a bar, and shows the warnings.
func (a *app) openQueries(path string, o queryset.Options) (*queryset.Set, error) {
	o.Progress = a.bar.Show
	set, warnings, err := queryset.Open(a.ctx, path, o)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		a.warnf("%s", w)
	}
	for _, r := range set.Refused {
		a.refuse(cli.UsageError{Err: r})
	}
	return set, nil
}

// writeJSONFile writes a value atomically, or nothing if the path is empty.
func writeJSONFile(path string, value any) error {
	if path == "" {
		return nil
	}
	return atomicfile.Write(path, func(w io.Writer) error { return writeJSON(w, value) })
}

// writeBytes writes a file atomically.
func writeBytes(path string, text []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// writable reports the first file that cannot be written, before the work that produces it. Empty paths and - mean no file.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if err := cmp.Or(atomicfile.Check(path), checkJournal(path)); err != nil {
			return err
		}
	}
	return nil
}
