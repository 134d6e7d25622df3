package main

import (
	"fmt"

	"github.com/efoc/efoc/runtime/model/importer"
)

// graphFlags say how a graph is written.
type graphFlags struct {
	Separator string `placeholder:"SEPARATOR" help:"What separates head, relation and tail in the files of triples: tab, space (one blank or more, so that names have none) or a character, such as a comma; tab if not given."`
}

// Validate reports an invalid separator; the parser of the command line calls it.
func (f graphFlags) Validate() error { return importer.Separator(f.Separator).Check() }

// importOptions returns the options to read a graph with, which show progress and
// what is noteworthy on stderr.
func (f graphFlags) importOptions(a *app, graph string, bar *bar) importer.Options {
	return importer.Options{
		Graph: graph, Separator: importer.Separator(f.Separator), Progress: bar.show,
		Note: func(text string) {
			bar.clear()
			fmt.Fprintln(a.stderr, text)
		},
	}
}
