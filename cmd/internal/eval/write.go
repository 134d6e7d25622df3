package eval

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// csvHeader heads the columns of WriteCSV.
var csvHeader = []string{
	"kind", "name", "missing_links", "queries", "answers", "shapes", "mrr", "hits1", "hits3", "hits10",
	"sweep", "value", "lambda", "alpha", "weight", "epsilon", "layers", "engine", "filter", "model", "model_file", "table", "queries_file", "visible_graph", "visible_facts", "union", "partial",
	"semantics", "candidates", "negation", "threshold", "temperature", "leaf", "scaled_by_mass", "mixture",
}

// WriteCSV writes a row for each shape, for each number of missing links of a
// shape, and for each average, of every run. Metrics are from 0 to 1. Each row
// repeats what was evaluated, so that tables can be put together.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	a := r.About
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	for _, run := range r.Runs {
		write := func(kind, name, links, queries, answers, shapes string, m Metrics, layers, engine string) error {
			s, d := run.Settings, run.Settings.Degrees.OrDefault()
			return out.Write([]string{
				kind, name, links, queries, answers, shapes, number(m.MRR), number(m.Hits1), number(m.Hits3), number(m.Hits10),
				run.Sweep, run.Value, number(s.Lambda), number(s.Alpha), number(s.Weight), number(s.Epsilon), layers, engine, string(a.Filter),
				a.Model.Name, a.Model.File, string(a.Model.Table), a.Queries.File, a.Visible.Name, strconv.Itoa(a.Visible.Facts), a.Union,
				strconv.FormatBool(r.Partial()), a.Semantics.String(), strconv.Itoa(d.Candidates), number(d.Negation), number(d.Threshold),
				number(d.Temperature), number(d.Leaf), strconv.FormatBool(d.Mass), number(d.Mixture),
			})
		}
		for _, s := range run.Shapes {
			layers, engine := strings.Trim(fmt.Sprint(s.Layers), "[]"), string(s.Engine)
			err := write("shape", s.Name, "", strconv.Itoa(s.Queries), strconv.Itoa(s.Answers), "", s.Metrics, layers, engine)
			if err != nil {
				return err
			}
			if a := s.AllLinks; a != nil {
				err := write("all links missing", s.Name, strconv.Itoa(a.Links), strconv.Itoa(a.Queries), strconv.Itoa(a.Answers), "", a.Metrics, layers, engine)
				if err != nil {
					return err
				}
			}
			for _, l := range s.Links {
				err = write("missing links", s.Name, strconv.Itoa(l.Links), strconv.Itoa(l.Queries), strconv.Itoa(l.Answers), "", l.Metrics, layers, engine)
				if err != nil {
					return err
				}
			}
		}
		for _, x := range run.Averages {
			if err := write("average", x.Label(), "", "", "", fmt.Sprintf("%d of %d", x.Shapes, x.Of), x.Metrics, "", ""); err != nil {
				return err
			}
			if a := x.AllLinks; a != nil {
				if err := write("average over all links missing", x.Label(), "all", "", "", fmt.Sprintf("%d of %d", a.Shapes, x.Of), a.Metrics, "", ""); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// WriteMarkdown writes the report for a page.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if note := r.Note(); note != "" {
		fmt.Fprintf(&b, "**%s**\n\n", note)
	}
	for _, f := range r.Facts() {
		fmt.Fprintf(&b, "- %s: %s\n", f[0], f[1])
	}
	for _, t := range r.Tables() {
		b.WriteString(t.Markdown())
	}
	if r.Published != nil {
		fmt.Fprintf(&b, "\n%s\n", PublishedNote(r.Published))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
