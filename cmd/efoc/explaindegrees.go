package main

import (
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/fit"
)

// degreesReport is what there is to say about the plans of truth degrees.
type degreesReport struct {
	Query     string     `json:"query"`
	Shape     string     `json:"shape"`
	ShapeName string     `json:"shape_name,omitempty"`
	Disjuncts [][]string `json:"disjuncts"`
}

// degrees explains how truth degrees are computed.
func (c *explainCmd) degrees(a *app, q *lang.Query) error {
	if c.Format == "dot" || c.Plan || c.Layers != 0 || c.Entities != 0 || c.Rank != 0 || c.Model != "" || c.Calibrate {
		return usagef("--semantics fit takes --format text or json, and no other flag")
	}
	dnf, warnings, err := lang.Normalize(q)
	if err != nil {
		return mistake(err)
	}
	a.warn(warnings)
	shape := lower.NewShape(dnf)
	r := degreesReport{Query: q.String(), Shape: shape.Key, ShapeName: compiler.ShapeName(shape.Key)}
	for i := range shape.SCQs {
		pattern := shape.SCQs[i].Pattern()
		r.Disjuncts = append(r.Disjuncts, fit.Describe(&pattern))
	}
	if c.Format == "json" {
		return writeJSON(a.stdout, r)
	}
	p := &printer{w: a.stdout}
	p.printf("query  %s\nshape  ", r.Query)
	if r.ShapeName != "" {
		p.printf("%s: ", r.ShapeName)
	}
	p.printf("%s\n", r.Shape)
	for i, steps := range r.Disjuncts {
		p.printf("\n")
		if len(r.Disjuncts) > 1 {
			p.printf("disjunct %d\n", i+1)
		}
		for j, s := range steps {
			p.printf("%3d  %s\n", j+1, s)
		}
	}
	return p.err
}
