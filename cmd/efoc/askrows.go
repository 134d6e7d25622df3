package main

import (
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// rowsHead says how rows of several variables were found.
type rowsHead struct {
	reply
	Engine compiler.Engine `json:"engine"`
	// Offset is the number of better rows that were left out.
	Offset int `json:"offset,omitempty"`
}

// rowsResult holds everything to print of the rows of a query with several answer variables.
type rowsResult struct {
	rowsHead
	*runtime.Reply

	layers []int
	show   []string // variables whose values stand beside the rows
	why    int      // how many rows to explain
}

// askRows answers a query with several answer variables.
func (c *askCmd) askRows(a *app, m *openModel, q *lang.Query, args map[string]string, prepare compiler.Options) error {
	k := c.K
	if c.request != nil {
		k = *c.request.Limit
		c.Offset = c.request.Offset
	}
	filter, err := c.filter(m.Model)
	if err != nil {
		return err
	}
	if c.Device != "cpu" {
		return usagef("--device answers queries with one answer variable: leave it out")
	}
	p, err := compiler.Prepare(m.Model, q, prepare)
	if err != nil {
		return mistake(err)
	}
	a.warn(q.Warnings)
	ids, err := p.Args(args)
	if err != nil {
		return err
	}
	if c.Show == nil {
		c.Show = q.Shown()
	}
	options := runtime.Options{K: max(k, 1), Offset: c.Offset, Settings: &p.Settings, Filter: filter, Show: c.Show}
	if err := p.Check(options); err != nil {
		return cli.UsageError{Err: err}
	}
	start := time.Now()
	rows, err := p.Ask(a.ctx, ids, options)
	if err != nil {
		return err
	}
	if rows.Incomplete {
		a.warnf("the search for rows was given up because it took too much work: there may be more")
	}
	rows.Rows = rows.Rows[:min(k, len(rows.Rows))]
	if f := sparqlresult.Named(c.Format); f != nil {
		return f.Write(a.stdout, c.request, &sparqlresult.Result{Rows: rows.Rows})
	}
	r := &rowsResult{
		rowsHead: rowsHead{newReply(plan.Rows, m, q, p.Settings, p.Semantics, time.Since(start)), p.Engine, c.Offset}, Reply: rows,
		layers: p.Compiled.Optimized.Layers, show: c.Show, why: c.Why,
	}
	return a.show(c.Format, r)
}

// list returns the rows as they are printed.
func (r *rowsResult) list() *answerList {
	return &answerList{r.Reply, r.show, r.Offset}
}

// MarshalJSON writes one object.
func (r *rowsResult) MarshalJSON() ([]byte, error) { return print.Object(&r.rowsHead, r.Reply) }

func (r *rowsResult) tsv() [][]string { return r.list().tsv() }

func (r *rowsResult) text(p *printer) {
	l := r.list()
	p.answers(l)
	for _, x := range r.Rows[:min(r.why, len(r.Rows))] {
		var labels []string
		for _, v := range x.Values {
			labels = append(labels, v.Label)
		}
		p.witness(strings.Join(labels, ", "), x.Witness, x.Confidence, x.Basis, r.Settings.Degrees)
	}
	p.legend(l)
	if !r.Proved {
		p.printf("not proved: the %d most promising values of %s were tried, others may give better rows\n",
			r.Searched, strings.Join(r.Variables[:len(r.Variables)-1], ", "))
	}
	p.printf("\n%s, semantics %s, engine %s, %s, in %s\n", r.Model, r.Semantics, r.Engine, workText(r.Semantics, r.layers, r.Settings.Degrees), roundTime(r.Seconds))
}
