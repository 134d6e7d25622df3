package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
)

// printer keeps its first error, so that printing needs no error branches.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table prints aligned columns in the layout of tables.Text.
func (p *printer) table(header []string, rows []table.Row) {
	p.printf("%s\n", tables.Text(header, rows))
}

// tables prints the tables of a report, with their titles if any.
func (p *printer) tables(tables []eval.Table) {
	for _, t := range tables {
		if t.Title != "" {
			p.printf("%s\n", t.Title)
		}
		p.table(t.Header, t.Rows)
		p.printf("\n")
	}
}

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
	p := &printer{w: w}
	for _, row := range rows {
		p.printf("%s\n", strings.Join(row, "\t"))
	}
	return p.err
}

// printable is the output of a command: as JSON itself, as rows for programs, or as text for people.
type printable interface {
	tsv() [][]string
	text(p *printer)
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
	p := &printer{w: a.stdout}
	r.text(p)
	return p.err
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

func pluralS(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// roundTime formats seconds to about three digits.
func roundTime(seconds float64) string { return tables.Seconds(seconds) }

// printf prints a result after hiding the progress bar.
func (a *app) printf(format string, args ...any) error {
	a.bar.Clear()
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printer prints a longer result.
func (a *app) printer() *printer {
	a.bar.Clear()
	return &printer{w: a.stdout}
}

// notef prints a note after hiding the progress bar.
func (a *app) notef(format string, args ...any) {
	a.bar.Clear()
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// warnf prints a warning after hiding the progress bar.
func (a *app) warnf(format string, args ...any) { a.notef("efoc: warning: "+format, args...) }
