package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
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
	return a.show(c.Format, &countResult{newReply(plan.Count, m, p.Source, p.Settings, p.Semantics, time.Since(start)), n, n.Total()})
}

func (r *countResult) tsv() [][]string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
	return [][]string{{"known", "missing", "total", "low", "high"},
		{strconv.Itoa(r.Known), number(r.Missing), number(r.Total), number(r.Low), number(r.High)}}
}

func (r *countResult) text(p *printer) {
	p.printf("%-8s %d follow from the graph\n", "known", r.Known)
	if r.Uncalibrated != "" {
		p.printf("%-8s not estimated: %s\n", "missing", r.Uncalibrated)
	} else {
		p.printf("%-8s %s are expected beside them\n", "missing", formatCount(r.Missing))
		p.printf("%-8s %s; from %s to %s in nine of ten cases, as on validation queries\n", "total", formatCount(r.Total), formatCount(r.Low), formatCount(r.High))
	}
	p.printf("\n%s, semantics %s, in %s\n", r.Model, r.Semantics, roundTime(r.Seconds))
}

// formatCount writes an expected number.
func formatCount(x float64) string {
	if x < 100 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
