package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/print"
)

// tableRows makes rows of text cells.
func tableRows(rows [][]string) []table.Row {
	out := make([]table.Row, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			out[i] = append(out[i], cell)
		}
	}
	return out
}

// writeTSV writes rows with tab-separated fields. Names contain no tabs.
func writeTSV(w io.Writer, rows [][]string) error {
	p := &print.Printer{W: w}
	for _, row := range rows {
		p.Printf("%s\n", strings.Join(row, "\t"))
	}
	return p.Err
}

// printable is the output of a command: as JSON itself, as rows for programs, or as text for people.
type printable interface {
	tsv() [][]string
	text(p *print.Printer)
}

// show prints r as json, tsv or, for people, table.
func (a *app) show(format string, r printable) error {
	a.bar.Clear()
	switch format {
	case "json":
		return writeJSON(a.stdout, r)
	case "tsv":
		return writeTSV(a.stdout, r.tsv())
	}
	p := a.printer()
	r.text(p)
	return p.Err
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// printf prints a result after hiding the progress bar.
func (a *app) printf(format string, args ...any) error {
	a.bar.Clear()
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printer prints a longer result.
func (a *app) printer() *print.Printer {
	a.bar.Clear()
	return &print.Printer{W: a.stdout}
}

// notef prints a note after hiding the progress bar.
func (a *app) notef(format string, args ...any) {
	a.bar.Clear()
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// warnf prints a warning after hiding the progress bar.
func (a *app) warnf(format string, args ...any) { a.notef("efoc: warning: "+format, args...) }
