package eval

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
)

// timesText holds the times of queries, in milliseconds, that the appendix of the NSMP
// paper (arXiv 2501.14661) reports for one query at a time on an A100.
//
//go:embed published_times.csv
var timesText string

// WritePaper writes the tables of the NSMP paper with figures of this evaluation, as
// Markdown: MRR and times beside published figures where there are some, then a table
// for each sweep.
func (r *Report) WritePaper(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The tables of *Neural-Symbolic Message Passing with Dynamic Pruning*, by %s\n\n", r.About.Model.Name)
	if note := r.Note(); note != "" {
		fmt.Fprintf(&b, "**%s**\n\n", note)
	}
	for _, f := range r.Facts() {
		fmt.Fprintf(&b, "- %s: %s\n", f[0], f[1])
	}
	b.WriteString("\n## Answers\n")
	b.WriteString(r.Runs[0].shapeTable().Markdown())
	if r.Published != nil {
		for _, t := range r.publishedTables() {
			b.WriteString(t.Markdown())
		}
		fmt.Fprintf(&b, "\n%s\n", PublishedNote(r.Published))
	}
	if t := r.Runs[0].linksTable(); len(t.Rows) > 0 {
		b.WriteString(t.Markdown())
	}
	times, err := r.timesTable()
	if err != nil {
		return err
	}
	if len(times.Rows) > 0 {
		b.WriteString("\n## Times\n" + times.Markdown())
	}
	ablations := false
	for _, runs := range r.Sweeps() {
		if runs[0].Sweep == "" {
			continue
		}
		if !ablations {
			b.WriteString("\n## Ablations\n\nAll other settings are as above. A shape without a figure has too few layers for an answer.\n")
		}
		ablations = true
		b.WriteString(sweepTable(runs).Markdown())
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// timesTable has the times of queries of the real EFO1 shapes, published ones above.
func (r *Report) timesTable() (Table, error) {
	lines, err := csv.NewReader(strings.NewReader(timesText)).ReadAll()
	if err != nil {
		return Table{}, fmt.Errorf("internal error: published times: %w", err)
	}
	shapes := lines[0][2:]
	t := Table{Title: "Milliseconds a query; published: one query at a time on an A100 (NSMP paper, arXiv 2501.14661, appendix); " +
		fmt.Sprintf("ours: here, %d at once", r.About.Batch), Header: []string{""}}
	for _, s := range shapes {
		t.Header = append(t.Header, ">"+s)
	}
	ours, found := blankRow("efoc", 1+len(shapes)), false
	for _, s := range r.Runs[0].Shapes {
		if i := slices.Index(shapes, s.Shape); i >= 0 && s.Milliseconds > 0 {
			ours[1+i], found = fmt.Sprintf("%.1f", s.Milliseconds), true
		}
	}
	if !found {
		return Table{}, nil
	}
	for _, line := range lines[1:] {
		if r.Published == nil || line[0] != r.Published[0].Graph {
			continue
		}
		row := tables.Row{line[1]}
		for _, x := range line[2:] {
			row = append(row, x)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, ours)
	return t, nil
}
