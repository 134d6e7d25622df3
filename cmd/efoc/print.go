package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

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

// table prints aligned columns, as tables.Text lays them out.
func (p *printer) table(header []string, rows []table.Row) {
	p.printf("%s\n", tables.Text(header, rows))
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

// writeTSV writes rows with tabs between the fields. Names hold no tabs.
func writeTSV(w io.Writer, rows [][]string) error {
	p := &printer{w: w}
	for _, row := range rows {
		p.printf("%s\n", strings.Join(row, "\t"))
	}
	return p.err
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// jsonOf returns what writes a value as indented JSON.
func jsonOf(value any) func(io.Writer) error {
	return func(w io.Writer) error { return writeJSON(w, value) }
}

func pluralS(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// roundTime formats seconds with three digits or so.
func roundTime(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for unit := time.Second; unit > time.Microsecond; unit /= 10 {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// formatShort formats a probability for a person.
func formatShort(p float32) string {
	if p == 0 || p >= 0.001 {
		return strconv.FormatFloat(float64(p), 'f', 4, 32)
	}
	return strconv.FormatFloat(float64(p), 'e', 1, 32)
}

// formatFull formats a probability so that no digit is lost.
func formatFull(p float32) string { return strconv.FormatFloat(float64(p), 'g', -1, 32) }
