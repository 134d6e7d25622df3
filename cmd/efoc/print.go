package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/atomicfile"
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

// writable reports the first file that could not be written, before the work whose
// result it is to hold. Empty paths mean no file.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
	return nil
}
