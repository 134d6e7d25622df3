package main

import (
	"cmp"
	"math"

	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// stored answers a SPARQL query by stored facts, in a format of SPARQL.
func (c *askCmd) stored(a *app) error {
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := c.bind(m); err != nil {
		return err
	}
	unbounded := sparqlresult.Bounds{Rows: math.MaxInt, Kept: math.MaxInt, Work: math.MaxInt}
	if c.request.Facts.Describe {
		return sparqlresult.Describe(a.ctx, a.stdout, c.request, m.Model, unbounded)
	}
	result, err := sparqlresult.Facts(a.ctx, c.request, m.Model, unbounded)
	if err != nil {
		return err
	}
	if c.request.Ask {
		return c.writeSPARQL(a, result)
	}
	f := cmp.Or(sparqlresult.Named(c.Format), sparqlresult.Named("sparql-"+c.Format), sparqlresult.Named("sparql-tsv"))
	return f.Write(a.stdout, c.request, result)
}

// writeSPARQL writes whether the pattern of a SPARQL query holds, or its solutions if the format is one of SPARQL.
func (c *askCmd) writeSPARQL(a *app, result *sparqlresult.Result) error {
	if f := sparqlresult.Named(c.Format); f != nil {
		return f.Write(a.stdout, c.request, result)
	}
	return a.printf("%s\n", map[bool]string{true: "yes", false: "no"}[result.Holds])
}

// want sets the options to the answers that the SPARQL query wants; flags are for other
// queries.
func (c *askCmd) want(m *runtime.Model, x *question) (err error) {
	if c.Offset != 0 || len(c.Status) > 0 || c.MinConfidence != 0 {
		return usagef("--sparql says itself which answers it wants: use OFFSET, FILTER(?y_status = …) and FILTER(?y_confidence >= …)")
	}
	o := &x.options
	switch x.kind {
	case plan.Rows:
		c.Offset = c.request.Offset
		o.Offset = c.Offset
		o.K = max(*c.request.Limit, 1)
	case plan.Answers:
		x.wanted = sparqlresult.Want(c.request, m.NumEntities(), x.Query.Uncalibrated(&x.Settings) == "")
		o.K = x.wanted.K
		o.Offset = x.wanted.Offset
		o.Filter.MinConfidence = x.wanted.MinConfidence
		o.Filter.Statuses, err = runtime.ParseStatus(x.wanted.Statuses...)
	}
	return err
}
