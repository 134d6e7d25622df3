package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/model"
)

// plans prints the list of plans and each plan.
func (g *generator) plans() error {
	g.prose(fmt.Sprintf("%s are the plans of the query shapes in %s.", g.names.Plans, g.options.Source))
	var list []jen.Code
	for _, sh := range g.order {
		if len(sh.users) > 0 {
			list = append(list, jen.Id(sh.variable))
		}
	}
	g.out.Var().Id(g.names.Plans).Op("=").
		Index().Op("*").Qual(codegen.PlanPath, "Plan").Values(codegen.Lines(list...)...)
	for _, sh := range g.order {
		if err := g.plan(sh); err != nil {
			return err
		}
	}
	return nil
}

// plan prints a plan and its functions.
func (g *generator) plan(sh *shape) error {
	disjuncts := g.disjuncts(sh)
	interpreted, err := sh.Interpreted()
	if err != nil {
		return err
	}
	fused, err := sh.Fused()
	if err != nil {
		return err
	}
	if len(sh.users) == 0 {
		g.prose(fmt.Sprintf("%s explains answers of shape %s by truth degrees.", sh.variable, sh.Shape.Key))
	} else {
		g.prose(fmt.Sprintf("%s computes shape %s for %s.", sh.variable, sh.Shape.Key, strings.Join(sh.users, ", ")))
	}
	fields := codegen.Fields{"Disjuncts": jen.Id(disjuncts), "Run": jen.Id(sh.run)}
	if sh.degrees != nil {
		fields["Degrees"] = jen.Id(sh.degrees.variable)
	}
	if fused != nil {
		fields["Small"] = jen.Id(sh.small)
	}
	g.out.Var().Id(sh.variable).Op("=").Op("&").Qual(codegen.PlanPath, "Plan").Add(codegen.Literal(*interpreted, fields))
	g.runFunction(sh)
	if fused != nil {
		g.prose(fmt.Sprintf("%s is %s for a table of float32 in the second-level cache, by %d loops over its tiles.", sh.small, sh.run, fused.Sweeps()))
		g.answerFunction(sh.small, newEmitter(fused, sh.local))
	}
	return nil
}

// disjuncts prints the query graphs of a shape, which its plans share, and returns their variable.
func (g *generator) disjuncts(sh *shape) string {
	variable := g.graphs[sh.Shape.Key]
	if variable == "" {
		variable = sh.disjuncts
		g.graphs[sh.Shape.Key] = variable
		g.prose(fmt.Sprintf("%s are the query graphs of shape %s.", variable, sh.Shape.Key))
		g.out.Var().Id(variable).Op("=").Add(graphs(sh.Shape))
	}
	return variable
}

// graphs prints the query graphs of a shape.
func graphs(s *lower.Shape) jen.Code {
	return jen.Index().Qual(codegen.PlanPath, "Disjunct").Add(codegen.Literal(s.Disjuncts, nil))
}

// runFunction prints the straight-line code of a plan: a paragraph with a comment for every message, state and
// readout.
func (g *generator) runFunction(sh *shape) {
	p := sh.Optimized
	how := " with L = " + strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Layers), "[]"), " ", ", ")
	if sh.Semantics == model.FIT {
		how = ""
	}
	g.prose(fmt.Sprintf("%s makes %s of the entity table in %d ops (as written%s: %d in %d).",
		sh.run, sweeps(p.Sweeps()), len(p.Values), how, sh.Lowered.Sweeps(), len(sh.Lowered.Values)))
	g.answerFunction(sh.run, newEmitter(p, sh.local))
}

// answerFunction prints the function of a plan that returns an answer and fuzzy sets.
func (g *generator) answerFunction(name string, e *emitter) {
	g.function(name, e, func(body *jen.Group) {
		body.Id("w").Dot("SetAnswer").Call(e.ref(e.plan.Answer))
		for i, s := range e.plan.Sets {
			body.Id("w").Dot("SetFuzzySet").Call(jen.Lit(i), e.ref(s.Value))
		}
	})
}

// function prints the straight-line code of a plan and its results.
func (g *generator) function(name string, e *emitter, results func(*jen.Group)) {
	g.out.Func().Id(name).Params(jen.Id("w").Op("*").Qual(codegen.PlanPath, "Workspace")).Error().
		BlockFunc(func(body *jen.Group) {
			e.locals(body)
			lone := false // the last paragraph is a single line
			last := ""
			for _, paragraph := range paragraphs(e.plan) {
				alone := e.alone(paragraph)
				if !alone || !lone {
					body.Line()
				}
				heading := e.heading(paragraph)
				if !alone || !lone || heading != last {
					heads(body, heading)
				}
				e.paragraph(body, paragraph)
				lone = alone
				last = heading
			}
			body.Line()
			results(body)
			body.Return(jen.Id("w").Dot("Err").Call())
		})
}

// heads prints the heading of a paragraph.
func heads(body *jen.Group, heading string) {
	for _, line := range wrapped(strings.Map(codegen.Printable, heading)) {
		for _, safe := range commentLines(line) { // a line break may leave +build at the start
			body.Comment(safe)
		}
	}
}

// sweeps formats a number of sweeps of the entity table.
func sweeps(n int) string {
	if n == 1 {
		return "1 sweep"
	}
	return fmt.Sprint(n, " sweeps")
}

// paragraphs groups values: each sweep of the entity table, or loop over its tiles, is a paragraph; so is each value with a role,
// including the values computed only for it; and so are the values in between that a later sweep needs.
// Embeddings of constants are not computed.
func paragraphs(p *ir.Plan) [][]*ir.Value {
	var groups [][]*ir.Value
	purposes := purposes(p.Values)
	tiled := p.Tiled()
	var last *ir.Value
	for _, v := range p.Values {
		if alloc.Unbuffered(v) {
			continue
		}
		if last == nil || last.Sweep != v.Sweep || tiled && makesRows(last) != makesRows(v) || v.Sweep == 0 && purposes[last] != purposes[v] {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], v)
		last = v
	}
	return groups
}

// purposes maps each value outside sweeps to the value with a role that it is or is first computed for before
// the next sweep; nil if there is none.
func purposes(values []*ir.Value) map[*ir.Value]*ir.Value {
	all := map[*ir.Value]*ir.Value{}
	ahead := map[*ir.Value]*ir.Value{} // likewise, for values before v
	for _, v := range slices.Backward(values) {
		if v.Sweep > 0 {
			clear(ahead)
			continue
		}
		purpose := ahead[v]
		if v.Origin.Role != ir.NoRole {
			purpose = v
		}
		all[v] = purpose
		for _, a := range v.Args {
			ahead[a] = purpose
		}
	}
	return all
}
