package gogen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/plan"
)

// query prints a template: its type, parameters, specification, constructor and methods.
func (g *generator) query(q *template) {
	g.describe(q)
	g.out.Type().Id(q.Type).Struct(jen.Id("question").Op("*").Qual(codegen.RuntimePath, "Question"))
	g.params(q)
	g.spec(q)
	g.constructor(q)
	g.methods(q)
}

// describe prints the comment of a template's type.
func (g *generator) describe(q *template) {
	shape := ""
	if len(q.shapes) == 1 {
		shape = ", of shape " + q.shapes[0].Shape.Key
	}
	g.comment(cmp.Or(q.Doc, fmt.Sprintf("%s answers a query template.", q.Type)))
	g.out.Comment("//")
	g.prose("The query" + shape + ":")
	g.out.Comment("//")
	for _, line := range commentLines(q.Query.String()) {
		g.out.Comment("//\t" + strings.TrimPrefix(line, "// "))
	}
	g.out.Comment("//")
	for _, w := range q.Warnings {
		text := w.Msg
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		g.prose("Warning: " + text + ".")
		g.out.Comment("//")
	}
	g.prose(fmt.Sprintf("It is bound to one model and safe for concurrent use. Answers are by semantics %s.", g.file.Semantics))
}

// params prints the struct of a template's parameters, and the method that returns their values.
func (g *generator) params(q *template) {
	doc := fmt.Sprintf("%s are the parameters of %s.", q.Parameters, q.Type)
	if len(q.fields) > 0 {
		doc += " All of them must be set."
	}
	g.prose(doc)
	var fields, values []jen.Code
	for i, p := range q.Params {
		field := jen.Id("p").Dot(q.fields[i])
		var typ *jen.Statement
		var value jen.Code
		switch p.Kind {
		case kind.Number:
			typ = jen.Float64()
			value = jen.Qual(codegen.PlanPath, "Number").Call(field)
		case kind.Date:
			typ = jen.Qual(codegen.RuntimePath, "Date")
			value = jen.Qual(codegen.PlanPath, "Date").Call(field)
		default:
			name := [...]string{kind.Entity: "Entity", kind.Relation: "Relation"}[p.Kind]
			typ = jen.Qual(codegen.RuntimePath, name)
			value = jen.Qual(codegen.PlanPath, name).Call(field)
		}
		fields = append(fields, jen.Id(q.fields[i]).Add(typ).Comment("$"+p.Name))
		values = append(values, value)
	}
	g.out.Type().Id(q.Parameters).Struct(fields...)
	receiver := jen.Id("p").Id(q.Parameters)
	if len(values) == 0 {
		receiver = jen.Id(q.Parameters)
	}
	g.out.Func().Params(receiver).Id("args").Params().Qual(codegen.RuntimePath, "Args").
		Block(jen.Return(jen.Qual(codegen.RuntimePath, "Args").Values(values...)))
}

// spec prints a template as data.
func (g *generator) spec(q *template) {
	spec := *q.spec
	spec.Parts = nil
	var parts []jen.Code
	for i, part := range q.spec.Parts {
		parts = append(parts, codegen.Literal(part, codegen.Fields{"Plan": jen.Id(q.shapes[i].variable)}))
	}
	g.prose(fmt.Sprintf("%s is %s as data.", q.Spec, q.Type))
	g.out.Var().Id(q.Spec).Op("=").Qual(codegen.PlanPath, "Spec").Add(codegen.Literal(spec, codegen.Fields{
		"Parts": jen.Index().Qual(codegen.PlanPath, "Part").Values(parts...),
	}))
}

// constructor prints the function that binds a template to a model.
func (g *generator) constructor(q *template) {
	g.prose(fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", q.New, q.Type))
	m := jen.Id("m").Op("*").Qual(codegen.RuntimePath, "Model")
	g.out.Func().Id(q.New).Params(m).Params(jen.Op("*").Id(q.Type), jen.Error()).Block(
		jen.List(jen.Id("q"), jen.Err()).Op(":=").Id("m").Dot("Bind").Call(jen.Op("&").Id(q.Spec)),
		failed(),
		jen.Return(jen.Op("&").Id(q.Type).Values(jen.Id("q")), jen.Nil()),
	)
}

// specOf returns a template as data, with the generated names of its parameters and the positions of its
// aliases, where a relation's name can be changed.
func (g *generator) specOf(q *template) *plan.Spec {
	spec := q.analysis.SpecFor(g.file.Semantics)
	for i := range spec.Params {
		spec.Params[i].Name = q.fields[i]
	}
	for _, a := range q.Aliases() {
		spec.Aliases = append(spec.Aliases, plan.Alias{
			Name: a.Name, Relation: a.Relation.Name, Place: fmt.Sprintf("%s:%d", g.options.Source, a.Relation.Pos.Line),
		})
	}
	return spec
}
