package main

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// rowsResult holds everything to print of the rows of a query with several answer variables.
type rowsResult struct {
	Query    string          `json:"query"`
	Engine   compiler.Engine `json:"engine"`
	Model    modelSummary    `json:"model"`
	Settings model.Settings  `json:"settings"`
	// Seconds is the time that answering took, without opening and compiling.
	Seconds  float64  `json:"seconds"`
	Warnings []string `json:"warnings,omitempty"`
	// Offset is the number of better rows that were left out.
	Offset int `json:"offset,omitempty"`
	*runtime.TupleAnswers

	layers []int
	show   []string // variables whose values stand beside the rows
	why    int      // how many rows to explain
}

// rowsUnfiltered refuses a filter.
const rowsUnfiltered = "rows of several answer variables cannot be filtered: leave out --status, --in-range, --min-confidence and --type"

// askRows answers a query with several answer variables.
func (c *askCmd) askRows(a *app, m *openModel, q *lang.Query, args map[string]string, prepare compiler.PrepareOptions) error {
	k := c.K
	if c.request != nil {
		k, c.Offset = *c.request.Limit, c.request.Offset
	}
	filter, err := c.filter(m.Model)
	switch {
	case err != nil:
		return err
	case filter != runtime.Filter{}:
		return usagef("%s", rowsUnfiltered)
	case c.Device != "cpu":
		return usagef("--device answers queries with one answer variable: leave it out")
	}
	p, err := compiler.PrepareTuples(m.Model, q, prepare)
	if err != nil {
		return mistake(err)
	}
	a.warn(q.Warnings)
	b, err := p.Bindings(args)
	if err != nil {
		return err
	}
	if c.Show == nil {
		c.Show = q.Shown()
	}
	if err := p.Query.CheckShow(c.Show); err != nil {
		return usagef("--show: %w", err)
	}
	start := time.Now()
	rows, err := p.Query.Answer(a.ctx, b, runtime.Options{K: max(k, 1), Offset: c.Offset, Settings: &p.Settings})
	if err != nil {
		return err
	}
	rows.Rows = rows.Rows[:min(k, len(rows.Rows))]
	if f := sparqlresult.Named(c.Format); f != nil {
		return f.Write(a.stdout, c.request, &sparqlresult.Result{Rows: rows.Rows})
	}
	r := &rowsResult{
		Query: oneLine(q), Engine: p.Parts[0].Engine, Model: m.summary(), Settings: p.Settings,
		Seconds: time.Since(start).Seconds(), Offset: c.Offset, TupleAnswers: rows, layers: p.Parts[0].Compiled.Optimized.Layers, show: c.Show, why: c.Why,
	}
	if p.Semantics != model.NSMP {
		r.Settings.Degrees = r.Settings.Degrees.OrDefault()
	}
	for _, w := range q.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	return r.write(a.stdout, c.Format)
}

func (r *rowsResult) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "tsv":
		header := []string{"rank"}
		for _, v := range slices.Concat(r.Variables, []string{"confidence", "score", "status"}, r.show) {
			header = append(header, v)
			if !slices.Contains([]string{"confidence", "score", "status"}, v) {
				header = append(header, v+"_label")
			}
		}
		rows := [][]string{header}
		for i, x := range r.Rows {
			row := []string{strconv.Itoa(r.Offset + i + 1)}
			for _, v := range x.Values {
				row = append(row, v.Name, v.Label)
			}
			row = append(row, confidenceText(x.Confidence), strconv.FormatFloat(float64(x.Score), 'g', -1, 32), x.Status.String())
			for _, v := range r.show {
				value := x.Value(v)
				row = append(row, value.Name, value.Label)
			}
			rows = append(rows, row)
		}
		return writeTSV(w, rows)
	}
	return r.writeTable(w)
}

func (r *rowsResult) writeTable(w io.Writer) error {
	p := &printer{w: w}
	score := ">score"
	if r.Semantics == model.FIT {
		score = ">degree"
	}
	header := append([]string{">"}, r.Variables...)
	if r.Uncalibrated == "" {
		header = append(header, ">confidence")
	}
	header = slices.Concat(header, []string{score, "status"}, r.show)
	var rows []table.Row
	seen := map[runtime.Status]bool{}
	for i, x := range r.Rows {
		row := table.Row{r.Offset + i + 1}
		for _, v := range x.Values {
			row = append(row, v.Label)
		}
		if r.Uncalibrated == "" {
			row = append(row, formatConfidence(x.Confidence))
		}
		row = append(row, formatShort(x.Score), x.Status)
		for _, v := range r.show {
			row = append(row, cmp.Or(x.Value(v).Label, "–"))
		}
		rows = append(rows, row)
		seen[x.Status] = true
	}
	p.table(header, rows)
	for _, x := range r.Rows[:min(r.why, len(rows))] {
		var labels []string
		for _, v := range x.Values {
			labels = append(labels, v.Label)
		}
		p.witness(strings.Join(labels, ", "), x.Witness, x.Confidence, x.Basis, r.Settings.Degrees)
	}
	p.statuses(seen)
	p.confidence(len(rows), r.Uncalibrated)
	if !r.Proved {
		p.printf("not proved: the %d most promising values of %s were tried, others may give better rows\n",
			r.Searched, strings.Join(r.Variables[:len(r.Variables)-1], ", "))
	}
	p.printf("\n%s, semantics %s, engine %s, %s, in %s\n", r.Model, r.Semantics, r.Engine, workText(r.Semantics, r.layers, r.Settings.Degrees), roundTime(r.Seconds))
	return p.err
}

// oneLine prints a query in a line.
func oneLine(q *lang.Query) string { return strings.Join(strings.Fields(q.String()), " ") }
