package main

import (
	"github.com/efoc/efoc/compiler/explain"
	"github.com/efoc/efoc/runtime"
)

// explainCmd says what the compiler makes of a query.
type explainCmd struct {
	querySource
	Layers int    `placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
	Format string `enum:"text,dot,json" default:"text" help:"Output: text, dot or json; dot is the query graph for graphviz."`
	Plan   bool   `short:"v" help:"Show the plan too, as it is before the passes and after each of them."`
}

// Help shows examples.
func (c *explainCmd) Help() string {
	return `No model is needed: the schedule follows from the query alone.

Examples:

    efoc explain 'exists c. borders("France", c) & capital(c, x)'
    efoc explain --shape 3c --plan
    efoc explain --file world.efo --query Neighbours --format dot | dot -Tsvg > graph.svg`
}

// Run explains the query.
func (c *explainCmd) Run(a *app) error {
	if c.Layers < 0 || c.Layers > runtime.MaxLayers {
		return usagef("--layers is %d, want 0 (for D+1) to %d", c.Layers, runtime.MaxLayers)
	}
	q, err := c.load(a)
	if err != nil {
		return err
	}
	r, err := explain.New(q, c.Layers)
	if err != nil {
		return mistake(err)
	}
	a.warn(r.Warnings)
	switch c.Format {
	case "dot":
		return r.DOT(a.stdout)
	case "json":
		return r.JSON(a.stdout, c.Plan)
	}
	return r.Text(a.stdout, c.Plan)
}
