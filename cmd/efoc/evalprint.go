package main

import (
	"io"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// write prints the report and writes the files.
func (c *evalCmd) write(a *app, r *eval.Report) error {
	if err := printReport(a.stdout, r); err != nil {
		return err
	}
	return writeFiles(
		outputFile{c.JSON, jsonOf(r)}, outputFile{c.CSV, r.WriteCSV}, outputFile{c.Markdown, r.WriteMarkdown},
		outputFile{c.Plot, evalPlotter(r, plotFormat(c.Plot))},
	)
}

// printReport prints the report for a person.
func printReport(w io.Writer, r *eval.Report) error {
	p := &printer{w: w}
	for _, t := range r.Tables() {
		if t.Title != "" {
			p.printf("%s\n", t.Title)
		}
		p.table(t.Header, tableRows(t.Rows))
		p.printf("\n")
	}
	p.table(nil, tableRows(r.Facts()))
	if r.Published != nil {
		p.printf("\n%s\n", eval.PublishedNote(r.Published))
	}
	if note := r.Note(); note != "" {
		p.printf("\n%s\n", note)
	}
	p.printf("\nasked %d of %d queries in %s\n", r.Asked, r.Total, roundTime(r.Seconds))
	return p.err
}
