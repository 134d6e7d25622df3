package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/scq"
)

// countResult is the number of answers, with everything to print.
type countResult struct {
	reply
	*runtime.Count
	Total float64 `json:"total"`
}

// count estimates the number of answers.
func (c *askCmd) count(a *app, m *openModel, p *compiler.Prepared, b scq.Bindings, o runtime.Options) error {
	if err := c.noAnswers(howMany); err != nil {
		return err
	}
	start := time.Now()
	n, err := p.Query.Count(a.ctx, b, o)
	if err != nil {
		return err
	}
	if f := sparqlresult.Named(c.Format); f != nil {
		return f.Write(a.stdout, c.request, &sparqlresult.Result{Count: n})
	}
	r := &countResult{newReply(m, p.Source, p.Settings, p.Semantics, time.Since(start)), n, n.Total()}
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, r)
	case "tsv":
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
		return writeTSV(a.stdout, [][]string{{"known", "missing", "total", "low", "high"},
			{strconv.Itoa(n.Known), number(n.Missing), number(n.Total()), number(n.Low), number(n.High)}})
	}
	return r.write(a.stdout)
}

// write prints the count.
func (r *countResult) write(w io.Writer) error {
	p := &printer{w: w}
	p.printf("%-8s %d follow from the graph\n", "known", r.Known)
	if r.Uncalibrated != "" {
		p.printf("%-8s not estimated: %s\n", "missing", r.Uncalibrated)
	} else {
		p.printf("%-8s %s are expected beside them\n", "missing", formatCount(r.Missing))
		p.printf("%-8s %s; from %s to %s in nine of ten cases, as on validation queries\n", "total", formatCount(r.Total), formatCount(r.Low), formatCount(r.High))
	}
	p.printf("\n%s, semantics %s, in %s\n", r.Model, r.Semantics, roundTime(r.Seconds))
	return p.err
}

// formatCount writes an expected number.
func formatCount(x float64) string {
	if x < 100 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
