package gogen

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

// query prints a template: its type, parameters, constructor and methods.
func (g *generator) query(q *template) {
	g.queryType(q)
	g.params(q)
	g.constructor(q)
	g.methods(q)
}

// named reports whether the query names entities or relations itself, instead of
// taking all of them as parameters.
func (q *template) named() bool {
	return slices.ContainsFunc(q.slots.Constants, func(t lang.Term) bool { return t.Kind == lang.Constant }) ||
		slices.ContainsFunc(q.slots.Relations, func(r lang.Relation) bool { return !r.Param })
}

func (g *generator) queryType(q *template) {
	doc := q.Doc
	if doc == "" {
		doc = fmt.Sprintf("%s answers a query template.", q.Type)
	}
	g.comment(doc)
	g.out.Comment("//")
	g.prose("The query, of shape " + q.shape.Shape.Key + ":")
	g.out.Comment("//")
	for _, line := range commentLines(q.Query.String()) {
		g.out.Comment("//\t" + strings.TrimPrefix(line, "// "))
	}
	g.out.Comment("//")
	g.warnings(q)
	g.prose(fmt.Sprintf("It is bound to one model and safe for concurrent use. Answers are by semantics %s.", g.file.Semantics))
	g.out.Type().Id(q.Type).Struct(jen.Id("template").Qual(runtimePath, "Template").Types(jen.Id(q.Parameters)))
}

// warnings prints what the user should know about the formula.
func (g *generator) warnings(q *template) {
	for _, w := range q.Warnings {
		text := w.Msg
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		g.prose("Warning: " + text + ".")
		g.out.Comment("//")
	}
}

func (g *generator) params(q *template) {
	doc := fmt.Sprintf("%s are the parameters of %s.", q.Parameters, q.Type)
	if len(q.fields) > 0 {
		doc += " All of them must be set."
	}
	g.prose(doc)
	var fields []jen.Code
	for i, p := range q.Params {
		typ := jen.Qual(modelPath, paramType(p.Kind))
		if name := g.goType(q.Query, p); name != "" {
			typ = jen.Id(name)
		}
		fields = append(fields, jen.Id(q.fields[i]).Add(typ).Comment("$"+p.Name))
	}
	g.out.Type().Id(q.Parameters).Struct(fields...)
}

// paramType returns the type of a parameter in package model.
func paramType(k lang.Kind) string {
	if k == lang.RelationKind {
		return "Relation"
	}
	return "Entity"
}

func (g *generator) constructor(q *template) {
	name := q.New
	g.prose(fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", name, q.Type))
	params := []jen.Code{jen.Id("m").Op("*").Qual(runtimePath, "Model")}
	if g.options.Part == TypesOnly {
		g.prose("The plan of its shape comes from plans, such as compiler.Plans(nil), which compiles it now.")
		params = append(params, jen.Id("plans").Qual(planPath, "Plans"))
	}
	g.out.Func().Id(name).Params(params...).
		Params(jen.Op("*").Id(q.Type), jen.Error()).
		BlockFunc(func(b *jen.Group) {
			if g.options.Part == TypesOnly {
				b.List(jen.Id("compiled"), jen.Err()).Op(":=").Id("plans").Dot("Explained").Call(
					graphs(q.shape.Shape), jen.Qual(modelPath, codegen.Semantics[q.shape.Semantics]), jen.Lit(q.shape.Layers))
				b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			}
			if q.named() || q.TypeFilter != nil {
				g.lookUp(b, q)
			}
			b.List(jen.Id("q"), jen.Err()).Op(":=").Add(g.newQuery(q))
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			bound := jen.Id("q")
			if q.TypeFilter != nil {
				bound = bound.Dot("Limited").Call(jen.Id("limit"))
			}
			args := []jen.Code{bound, g.bind(q)}
			for _, name := range q.Shown() {
				args = append(args, jen.Lit(name))
			}
			b.Return(jen.Op("&").Id(q.Type).Values(jen.Qual(runtimePath, "NewTemplate").Call(args...)), jen.Nil())
		})
}

// lookUp prints the code that resolves the query's own names.
func (g *generator) lookUp(b *jen.Group, q *template) {
	b.Id("names").Op(":=").Qual(planPath, "NewLookup").Call(jen.Id("m").Dot("Model"), jen.Lit(q.Name))
	if t := q.TypeFilter; t != nil {
		b.Id("limit").Op(":=").Id("names").Dot("Type").Call(jen.Lit(t.Relation.Name), jen.Lit(t.Relation.Inverse), jen.Lit(t.Entity.Name))
	}
	if q.named() {
		g.namedSlots(b, q)
	}
	b.If(jen.Err().Op(":=").Id("names").Dot("Err").Call(), jen.Err().Op("!=").Nil()).
		Block(jen.Return(jen.Nil(), jen.Err()))
}

// namedSlots prints the code that fills slots with what the query names.
func (g *generator) namedSlots(b *jen.Group, q *template) {
	b.Id("bindings").Op(":=").Qual(scqPath, "Bindings").Values(lines(
		field("Constants", jen.Make(jen.Index().Qual(modelPath, "EntityID"), jen.Lit(len(q.slots.Constants)))),
		field("Relations", jen.Make(jen.Index().Qual(modelPath, "RelationID"), jen.Lit(len(q.slots.Relations)))),
	)...)
	for i, t := range q.slots.Constants {
		if t.Kind == lang.Constant {
			b.Id("bindings").Dot("Constants").Index(jen.Lit(i)).Op("=").
				Id("names").Dot("Entity").Call(jen.Lit(t.Name))
		}
	}
	for i, r := range q.slots.Relations {
		if !r.Param {
			b.Id("bindings").Dot("Relations").Index(jen.Lit(i)).Op("=").
				Id("names").Dot("Relation").Call(jen.Lit(r.Name), jen.Lit(r.Inverse))
		}
	}
}

// newQuery prints the call that binds the plan of a query to the model m.
func (g *generator) newQuery(q *template) *jen.Statement {
	if g.options.Part == TypesOnly {
		return jen.Qual(runtimePath, "New").Call(jen.Id("m"), jen.Id("compiled"), g.queryNames(q))
	}
	args := []jen.Code{jen.Id("m"), jen.Id(q.shape.variable), g.queryNames(q)}
	if q.shape.Bind != nil {
		return jen.Qual(runtimePath, "NewBound").Call(append(args, jen.Id("bindings"))...)
	}
	return jen.Qual(runtimePath, "New").Call(args...)
}

// queryNames gives the user's names of the query and its variables.
func (g *generator) queryNames(q *template) jen.Code {
	var scqs []jen.Code
	for _, names := range q.slots.Variables {
		var vars []jen.Code
		for _, v := range names {
			vars = append(vars, jen.Lit(v))
		}
		scqs = append(scqs, jen.Values(vars...))
	}
	fields := []jen.Code{
		field("Query", jen.Lit(q.Name)),
		field("Variables", jen.Index().Index().String().Values(scqs...)),
	}
	if slices.ContainsFunc(q.slots.Reversed, func(atoms []bool) bool { return atoms != nil }) {
		fields = append(fields, field("Reversed", reversed(q.slots.Reversed)))
	}
	constants, relations := q.slotFields()
	for _, slots := range []struct {
		name   string
		filled []string
	}{{"Constants", constants}, {"Relations", relations}} {
		if !slices.ContainsFunc(slots.filled, func(s string) bool { return s != "" }) {
			continue
		}
		var names []jen.Code
		for _, s := range slots.filled {
			names = append(names, jen.Lit(s))
		}
		fields = append(fields, field(slots.name, jen.Index().String().Values(names...)))
	}
	return jen.Qual(planPath, "Names").Values(lines(fields...)...)
}

// reversed says which atoms of each disjunct the query has from the other end.
func reversed(scqs [][]bool) jen.Code {
	var all []jen.Code
	for _, atoms := range scqs {
		var one []jen.Code
		for _, t := range atoms {
			one = append(one, jen.Lit(t))
		}
		all = append(all, jen.Values(one...))
	}
	return jen.Index().Index().Bool().Values(all...)
}

// slotFields returns what fills the slots: the field of a parameter, "" for a name
// in the query.
func (q *template) slotFields() (constants, relations []string) {
	for _, t := range q.slots.Constants {
		constants = append(constants, q.parameter(t.Kind == lang.Parameter, t.Name))
	}
	for _, r := range q.slots.Relations {
		relations = append(relations, q.parameter(r.Param, r.Name))
	}
	return constants, relations
}

// parameter returns how a caller writes the parameter that fills a slot, empty where a
// name in the query does.
func (q *template) parameter(is bool, name string) string {
	if !is {
		return ""
	}
	return q.field(name)
}

// field returns the field of a parameter.
func (q *template) field(parameter string) string {
	i := slices.IndexFunc(q.Params, func(p lang.Param) bool { return p.Name == parameter })
	return q.fields[i]
}

// bind prints the function that puts parameters into the plan's slots.
func (g *generator) bind(q *template) jen.Code {
	var constants, relations []jen.Code
	for i, t := range q.slots.Constants {
		code := jen.Id("bindings").Dot("Constants").Index(jen.Lit(i))
		if t.Kind == lang.Parameter {
			code = jen.Id("p").Dot(q.field(t.Name)).Dot("ID").Call()
		}
		constants = append(constants, code)
	}
	for i, r := range q.slots.Relations {
		code := jen.Id("bindings").Dot("Relations").Index(jen.Lit(i))
		if r.Param {
			code = jen.Id("p").Dot(q.field(r.Name)).Dot("ID").Call()
		}
		if r.Param && r.Inverse {
			code = code.Dot("Inverse").Call()
		}
		relations = append(relations, code)
	}
	return jen.Func().Params(jen.Id("p").Id(q.Parameters)).Qual(scqPath, "Bindings").Block(
		jen.Return(jen.Qual(scqPath, "Bindings").Values(lines(
			field("Constants", jen.Index().Qual(modelPath, "EntityID").Values(filled(constants)...)),
			field("Relations", jen.Index().Qual(modelPath, "RelationID").Values(filled(relations)...)),
		)...)))
}

// filled puts slots on lines of their own if they are too many for one.
func filled(slots []jen.Code) []jen.Code {
	width := len("\t\t\tRelations: []model.RelationID{},") + 3*3 // tabs are as wide as four letters
	for _, s := range slots {
		width += utf8.RuneCountInString(fmt.Sprintf("%#v", s)) + len(", ")
	}
	if width > maxWidth {
		return lines(slots...)
	}
	return slots
}
