package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model/importer"
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

// tables prints the tables of a report, each with its title if it has one.
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

// writeTSV writes rows with tabs between the fields. Names hold no tabs.
func writeTSV(w io.Writer, rows [][]string) error {
	p := &printer{w: w}
	for _, row := range rows {
		p.printf("%s\n", strings.Join(row, "\t"))
	}
	return p.err
}

// printable is what a command says: as JSON itself, as rows for programs, or as text for people.
type printable interface {
	tsv() [][]string
	text(p *printer)
}

// show prints it as json, tsv or, for people, table.
func (a *app) show(format string, r printable) error {
	a.bar.clear()
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

// roundTime formats seconds with three digits or so.
func roundTime(seconds float64) string { return tables.Seconds(seconds) }

func formatShort(p float32) string {
	if p == 0 || p >= 0.001 {
		return strconv.FormatFloat(float64(p), 'f', 4, 32)
	}
	return strconv.FormatFloat(float64(p), 'e', 1, 32)
}

// bar shows on a terminal how far each stage is. A nil bar shows nothing.
type bar struct {
	w     io.Writer // nil where there is no terminal
	stage string
	bar   *progressbar.ProgressBar
	shown bool
}

func newBar(w io.Writer) *bar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &bar{w: w}
}

// show moves the bar; a new stage starts a new one. total is 0 if unknown.
func (b *bar) show(stage string, done, total int64) {
	if b == nil || b.w == nil {
		return
	}
	if total <= 0 {
		total = -1
	}
	if b.bar == nil || stage != b.stage || b.bar.IsFinished() && done < total {
		b.clear()
		b.stage = stage
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30),
			// Without this an unfinished bar goes on drawing by itself.
			progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionShowBytes(stage == importer.StageWrite))
	}
	// What cannot be shown does not matter.
	if total > 0 {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
	b.shown = true
}

// counter returns what moves the bar in a stage.
func (b *bar) counter(stage string) func(done, total int) {
	return func(done, total int) { b.show(stage, int64(done), int64(total)) }
}

// counts shows how far a stage is.
func (b *bar) counts(stage string, done, total int) { b.show(stage, int64(done), int64(total)) }

// clear takes the bar away until it moves again.
func (b *bar) clear() {
	if b != nil && b.shown {
		_ = b.bar.Clear()
		b.shown = false
	}
}

// printf prints a result, without a bar beside.
func (a *app) printf(format string, args ...any) error {
	a.bar.clear()
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printer prints a longer result.
func (a *app) printer() *printer {
	a.bar.clear()
	return &printer{w: a.stdout}
}

// notef prints a line about the work, without a bar beside.
func (a *app) notef(format string, args ...any) {
	a.bar.clear()
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// warnf prints a warning, without a bar beside.
func (a *app) warnf(format string, args ...any) { a.notef("efoc: warning: "+format, args...) }
