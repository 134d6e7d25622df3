package gogen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// plans prints the list of plans and each plan.
func (g *generator) plans() {
	g.prose(fmt.Sprintf("%s are the plans of the query shapes in %s.", g.names.Plans, g.options.Source))
	var list []jen.Code
	for _, sh := range g.order {
		list = append(list, jen.Id(sh.variable))
	}
	g.out.Var().Id(g.names.Plans).Op("=").
		Index().Op("*").Qual(planPath, "Plan").Values(lines(list...)...)
	for _, sh := range g.order {
		g.plan(sh)
		if sh.first {
			g.plan(sh.degrees)
		}
	}
}

// plan prints a plan and its functions.
func (g *generator) plan(sh *shape) {
	g.patterns(sh)
	buffers := alloc.Assign(sh.Optimized)
	if sh.Bind != nil {
		bind := alloc.Assign(sh.Bind)
		g.planVariable(sh, buffers, bind)
		g.bindFunction(sh, bind)
	} else {
		g.planVariable(sh, buffers, nil)
	}
	g.runFunction(sh, buffers)
}

// planVariable prints a plan; bind are the buffers of what runs at binding, nil if nothing does.
func (g *generator) planVariable(sh *shape, buffers, bind *alloc.Buffers) {
	vectors, embeddings := buffers.Vectors, buffers.Embeddings
	if bind != nil {
		vectors, embeddings = max(vectors, bind.Vectors), max(embeddings, bind.Embeddings)
	}
	if len(sh.users) == 0 {
		g.prose(fmt.Sprintf("%s explains answers of shape %s by truth degrees.", sh.variable, sh.Shape.Key))
	} else {
		g.prose(fmt.Sprintf("%s computes shape %s for %s.", sh.variable, sh.Shape.Key, strings.Join(sh.users, ", ")))
	}
	var sets []jen.Code
	for _, s := range sh.NewPlan().Sets {
		sets = append(sets, jen.Values(field("SCQ", jen.Lit(s.SCQ)), field("Variable", jen.Lit(s.Variable))))
	}
	fields := []jen.Code{
		field("ABI", jen.Lit(plan.ABI)),
		field("Shape", jen.Lit(sh.Shape.Key)),
	}
	fields = append(fields, counts("Constants", len(sh.Shape.Constants), "Relations", len(sh.Shape.Relations))...)
	fields = append(fields, field("Patterns", jen.Id(sh.patterns)))
	fields = append(fields, field("Semantics", jen.Qual(modelPath, codegen.Semantics[sh.Semantics])))
	fields = append(fields, counts("Layers", sh.Layers)...)
	if len(sets) > 0 {
		fields = append(fields, field("Sets", jen.Index().Qual(planPath, "PlanSet").Values(sets...)))
	}
	fields = append(fields, counts("Vectors", vectors, "Embeddings", embeddings)...)
	fields = append(fields, field("Places", places(buffers)), field("Run", jen.Id(sh.run)))
	if sh.degrees != nil {
		fields = append(fields, field("Degrees", jen.Id(sh.degrees.variable)))
	}
	if sh.Bind != nil {
		vectors, embeddings := sh.Bind.Kept()
		fields = append(fields, field("Bind", jen.Id(sh.bind)), field("BindPlaces", places(bind)))
		fields = append(fields, counts("KeptVectors", vectors, "KeptEmbeddings", embeddings)...)
	}
	g.out.Var().Id(sh.variable).Op("=").Op("&").Qual(planPath, "Plan").Values(lines(fields...)...)
}

// placesPerLine is how many buffers places prints in a line.
const placesPerLine = 24

// places prints the buffers of a plan's values.
func places(b *alloc.Buffers) jen.Code {
	var list []jen.Code
	many := len(b.Places) > placesPerLine
	for i, p := range b.Places {
		place := jen.Lit(int(p))
		if many && i%placesPerLine == 0 {
			place = jen.Line().Lit(int(p))
		}
		list = append(list, place)
	}
	if many {
		list = append(list, jen.Line())
	}
	return jen.Index().Int32().Values(list...)
}

// field prints a field of a composite literal.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// counts prints fields that hold numbers, a name and its number in turn, without those that
// are 0.
func counts(pairs ...any) []jen.Code {
	var fields []jen.Code
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != 0 {
			fields = append(fields, field(pairs[i].(string), jen.Lit(pairs[i+1])))
		}
	}
	return fields
}

// lines puts each element of a composite literal on a line of its own.
func lines(elements ...jen.Code) []jen.Code {
	out := make([]jen.Code, 0, len(elements)+1)
	for _, e := range elements {
		out = append(out, jen.Line().Add(e))
	}
	return append(out, jen.Line())
}

// runFunction prints the straight-line code of a plan: a paragraph for every
// message, state and readout, under a comment that says what it computes.
func (g *generator) runFunction(sh *shape, b *alloc.Buffers) {
	p := sh.Optimized
	how := " with L = " + layersText(p.Layers)
	if sh.Semantics == model.FIT {
		how = ""
	}
	g.prose(fmt.Sprintf("%s makes %s over the entity table in %d ops (as written%s: %d in %d).",
		sh.run, count(p.Passes(), "pass"), len(p.Values), how, sh.Lowered.Passes(), len(sh.Lowered.Values)))
	e := newEmitter(p, b, sh.local)
	g.function(sh.run, e, func(body *jen.Group) {
		body.Id("w").Dot("SetAnswer").Call(e.ref(p.Answer))
		for i, s := range p.Sets {
			body.Id("w").Dot("SetFuzzySet").Call(jen.Lit(i), e.ref(s.Value))
		}
	})
}

// bindFunction prints the code that runs when a query is bound.
func (g *generator) bindFunction(sh *shape, b *alloc.Buffers) {
	g.prose(fmt.Sprintf("%s precomputes everything that %s needs and that depends only on names in the template, in %s over the entity table.",
		sh.bind, sh.run, count(sh.Bind.Passes(), "pass")))
	e := newEmitter(sh.Bind, b, sh.local)
	g.function(sh.bind, e, func(body *jen.Group) {
		kept := map[ir.Space]int{}
		for _, v := range sh.Bind.Keeps {
			method := "KeepVector"
			if v.Space() == ir.Embedding {
				method = "KeepEmbedding"
			}
			body.Id("w").Dot(method).Call(jen.Lit(kept[v.Space()]), e.ref(v))
			kept[v.Space()]++
		}
	})
}

// function prints the straight-line code of a plan and what it hands over.
func (g *generator) function(name string, e *emitter, results func(*jen.Group)) {
	g.out.Func().Id(name).Params(jen.Id("w").Op("*").Qual(planPath, "Workspace")).Error().
		BlockFunc(func(body *jen.Group) {
			e.locals(body)
			lone := false // the last paragraph is a single line
			for _, paragraph := range paragraphs(e.plan.Values) {
				alone := e.alone(paragraph)
				if !alone || !lone {
					body.Line()
				}
				lone = alone
				for _, line := range wrapped(strings.Map(printable, e.heading(paragraph))) {
					for _, safe := range commentLines(line) { // a break may leave +build at the start
						body.Comment(safe)
					}
				}
				e.paragraph(body, paragraph)
			}
			body.Line()
			results(body)
			body.Return(jen.Id("w").Dot("Err").Call())
		})
}

func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func layersText(layers []int) string {
	var s []string
	for _, l := range layers {
		s = append(s, fmt.Sprint(l))
	}
	return strings.Join(s, ", ")
}

// paragraphs groups values: a sweep is a group, and others end with a value that
// has a role. Embeddings of constants and what binding kept are computed nowhere.
func paragraphs(values []*ir.Value) [][]*ir.Value {
	var groups [][]*ir.Value
	var group []*ir.Value
	end := func() {
		if len(group) > 0 {
			groups = append(groups, group)
			group = nil
		}
	}
	for _, v := range values {
		if alloc.Unbuffered(v) {
			continue
		}
		if len(group) > 0 && (group[0].Sweep != v.Sweep || v.Op == ir.Softmax) {
			end() // where a pass starts, or a message or readout that was scored
		}
		group = append(group, v)
		if v.Origin.Role != ir.NoRole && v.Sweep == 0 {
			end()
		}
	}
	end()
	return groups
}
