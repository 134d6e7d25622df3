package main

import (
	"cmp"
	"math"

	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// question is a prepared question with its arguments and options.
type question struct {
	*compiler.Prepared
	base    *runtime.Question // without the assumptions, to compare with; otherwise nil
	kind    plan.Kind
	args    runtime.Args
	options runtime.Options
	wanted  sparqlresult.Wanted
	whyNot  []graph.EntityID // the entities of --why-not
}

// stored prints the stored facts requested by a SPARQL query, in a SPARQL format.
func (a *app) stored(c *querySource, m *openModel, format string) error {
	if err := c.bind(m); err != nil {
		return err
	}
	result, err := sparqlresult.Facts(c.request, m.Model, math.MaxInt)
	if err != nil {
		return err
	}
	written := cmp.Or(sparqlresult.Named(format), sparqlresult.Named("sparql-"+format), sparqlresult.Named("sparql-tsv"))
	if c.request.Facts.Describe {
		written = sparqlresult.GraphFormat(nil)
	}
	return written.Write(a.stdout, c.request, result)
}

// writeSPARQL writes the result of a SPARQL query: its solutions in a SPARQL format, or whether the pattern holds.
func (a *app) writeSPARQL(req *sparql.Request, format string, result *sparqlresult.Result) error {
	if f := sparqlresult.Named(format); f != nil {
		return f.Write(a.stdout, req, result)
	}
	return a.printf("%s\n", map[bool]string{true: "yes", false: "no"}[result.Holds])
}
