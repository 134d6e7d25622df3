package main

import (
	"cmp"
	"io"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// write prints the figures and writes the files that were asked for. After an interrupt, which it
// returns, it writes none: a part of the figures must not replace a file that has all.
func (c *evalCmd) write(a *app, r *eval.Report, interrupted error) error {
	if err := printReport(a.printer(), r); err != nil || interrupted != nil {
		return cmp.Or(err, interrupted)
	}
	return writeFiles(
		outputFile{c.JSON, jsonOf(r)},
		outputFile{c.ReliabilityPlot, func(w io.Writer) error { return plotReliability(w, r) }},
	)
}

func printReport(p *printer, r *eval.Report) error {
	p.tables(r.Tables())
	p.table(nil, r.Facts())
	if r.Published != nil {
		p.printf("\n%s\n", eval.PublishedNote(r.Published))
	}
	if note := r.Note(); note != "" {
		p.printf("\n%s\n", note)
	}
	p.printf("\nasked %d of %d queries in %s\n", r.Asked, r.Total, roundTime(r.Seconds))
	return p.err
}
