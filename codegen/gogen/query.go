package gogen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/plan"
)

// fillSlots says which parameters fill the slots, given the fields that they are.
func (q *template) fillSlots() {
	fields := map[string]string{}
	for i, p := range q.Params {
		fields[p.Name] = q.fields[i]
	}
	q.constants, q.relations = make([]string, len(q.slots.Constants)), make([]string, len(q.slots.Relations))
	for i, t := range q.slots.Constants {
		if t.Kind == lang.Parameter {
			q.constants[i] = fields[t.Name]
		}
	}
	for i, r := range q.slots.Relations {
		if r.Param {
			q.relations[i] = fields[r.Name]
		}
	}
}

// named reports whether the query names entities or relations itself, instead of
// taking all of them as parameters.
func (q *template) named() bool {
	return slices.Contains(q.constants, "") || slices.Contains(q.relations, "") || q.at != nil && q.at.Kind == lang.Constant
}

// query prints a template: its type, parameters, constructor and methods.
func (g *generator) query(q *template) {
	g.describe(q, ", of shape "+q.shape.Shape.Key)
	g.out.Type().Id(q.Type).Struct(jen.Id("template").Qual(codegen.RuntimePath, "Template").Types(jen.Id(q.Parameters)))
	g.params(q)
	g.constructor(q)
	g.methods(q)
}

// describe prints the comment of a template's type.
func (g *generator) describe(q *template, shape string) {
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

func (g *generator) params(q *template) {
	doc := fmt.Sprintf("%s are the parameters of %s.", q.Parameters, q.Type)
	if len(q.fields) > 0 {
		doc += " All of them must be set."
	}
	g.prose(doc)
	var fields []jen.Code
	for i, p := range q.Params {
		typ := jen.Qual(codegen.ModelPath, [...]string{lang.EntityKind: "Entity", lang.RelationKind: "Relation"}[p.Kind])
		if name := g.goType(q.Query, p); name != "" {
			typ = jen.Id(name)
		}
		fields = append(fields, jen.Id(q.fields[i]).Add(typ).Comment("$"+p.Name))
	}
	g.out.Type().Id(q.Parameters).Struct(fields...)
}

func (g *generator) constructor(q *template) {
	g.newFunc(q.New, fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", q.New, q.Type),
		jen.Op("*").Id(q.Type), func(b *jen.Group) {
			bound := g.bound(b, q)
			if q.TypeFilter != nil {
				bound = bound.Dot("Limited").Call(jen.Id("limit"))
			}
			args := []jen.Code{bound, g.bind(q)}
			for _, name := range q.Shown() {
				args = append(args, jen.Lit(name))
			}
			b.Return(jen.Op("&").Id(q.Type).Values(jen.Qual(codegen.RuntimePath, "NewTemplate").Call(args...)), jen.Nil())
		})
}

// newFunc prints a function that makes a result of a model.
func (g *generator) newFunc(name, doc string, result jen.Code, body func(b *jen.Group)) {
	g.prose(doc)
	params := []jen.Code{jen.Id("m").Op("*").Qual(codegen.RuntimePath, "Model")}
	if g.options.Part == TypesOnly {
		g.prose("Its plans come from plans, such as compiler.Plans(nil), which compiles them now.")
		params = append(params, jen.Id("plans").Qual(codegen.PlanPath, "Plans"))
	}
	g.out.Func().Id(name).Params(params...).Params(result, jen.Error()).BlockFunc(body)
}

// bound prints the code that binds a query to the model, and returns the variable that has it.
func (g *generator) bound(b *jen.Group, q *template) *jen.Statement {
	if g.options.Part == TypesOnly {
		b.List(jen.Id("compiled"), jen.Err()).Op(":=").Id("plans").Dot("Explained").Call(
			graphs(q.shape.Shape), jen.Qual(codegen.ModelPath, codegen.Semantics[q.shape.Semantics]), jen.Lit(q.shape.Layers))
		b.Add(failed())
	}
	if q.named() || q.TypeFilter != nil {
		g.lookUp(b, q)
	}
	b.List(jen.Id("q"), jen.Err()).Op(":=").Add(g.newQuery(q))
	b.Add(failed())
	return jen.Id("q")
}

// lookUp prints the code that resolves the query's own names.
func (g *generator) lookUp(b *jen.Group, q *template) {
	g.newLookup(b, q)
	if t := q.TypeFilter; t != nil {
		b.Id("limit").Op(":=").Id("names").Dot("Type").Call(jen.Lit(t.Relation.Name), jen.Lit(t.Relation.Inverse), jen.Lit(t.Entity.Name))
	}
	if q.named() {
		g.namedSlots(b, q)
	}
	if q.at != nil && q.at.Kind == lang.Constant {
		b.Id("entity").Op(":=").Id("names").Dot("Entity").Call(jen.Lit(q.at.Name))
	}
	b.If(jen.Err().Op(":=").Id("names").Dot("Err").Call(), jen.Err().Op("!=").Nil()).
		Block(jen.Return(jen.Nil(), jen.Err()))
}

// newLookup prints the code that starts to resolve a query's names. It names the aliases, as they are
// where to change a relation's name.
func (g *generator) newLookup(b *jen.Group, q *template) {
	b.Id("names").Op(":=").Qual(codegen.PlanPath, "NewLookup").Call(jen.Id("m").Dot("Model"), jen.Lit(q.Name))
	for _, a := range q.aliases {
		place := fmt.Sprintf("%s:%d", g.options.Source, a.Relation.Pos.Line)
		b.Id("names").Dot("Alias").Call(jen.Lit(a.Name), jen.Lit(a.Relation.Name), jen.Lit(place))
	}
}

// namedSlots prints the code that fills slots with what the query names.
func (g *generator) namedSlots(b *jen.Group, q *template) {
	b.Id("bindings").Op(":=").Qual(codegen.SCQPath, "Bindings").Values(codegen.Lines(
		codegen.Field("Constants", jen.Make(jen.Index().Qual(codegen.ModelPath, "EntityID"), jen.Lit(len(q.slots.Constants)))),
		codegen.Field("Relations", jen.Make(jen.Index().Qual(codegen.ModelPath, "RelationID"), jen.Lit(len(q.slots.Relations)))),
	)...)
	for i, t := range q.slots.Constants {
		if t.Kind == lang.Constant {
			b.Id("bindings").Dot("Constants").Index(jen.Lit(i)).Op("=").Id("names").Dot("Entity").Call(jen.Lit(t.Name))
		}
	}
	for i, r := range q.slots.Relations {
		if !r.Param {
			b.Id("bindings").Dot("Relations").Index(jen.Lit(i)).Op("=").Id("names").Dot("Relation").Call(jen.Lit(r.Name), jen.Lit(r.Inverse))
		}
	}
}

// newQuery prints the call that binds the plan of a query to the model m.
func (g *generator) newQuery(q *template) *jen.Statement {
	if g.options.Part == TypesOnly {
		return jen.Qual(codegen.RuntimePath, "New").Call(jen.Id("m"), jen.Id("compiled"), g.queryNames(q))
	}
	args := []jen.Code{jen.Id("m"), jen.Id(q.shape.variable), g.queryNames(q)}
	if q.shape.Bind != nil {
		return jen.Qual(codegen.RuntimePath, "NewBound").Call(append(args, jen.Id("bindings"))...)
	}
	return jen.Qual(codegen.RuntimePath, "New").Call(args...)
}

// queryNames gives the user's names of the query and its variables.
func (g *generator) queryNames(q *template) jen.Code {
	names := plan.Names{Query: q.Name, Variables: q.slots.Variables}
	if slices.ContainsFunc(q.slots.Reversed, func(atoms []bool) bool { return atoms != nil }) {
		names.Reversed = q.slots.Reversed
	}
	if strings.Join(q.constants, "") != "" {
		names.Constants = q.constants
	}
	if strings.Join(q.relations, "") != "" {
		names.Relations = q.relations
	}
	return jen.Qual(codegen.PlanPath, "Names").Add(codegen.Literal(names, codegen.Fields{}))
}

// bind prints the function that puts parameters into the plan's slots.
func (g *generator) bind(q *template) jen.Code {
	id := func(list string, slot int, field string) *jen.Statement {
		if field == "" {
			return jen.Id("bindings").Dot(list).Index(jen.Lit(slot))
		}
		return jen.Id("p").Dot(field).Dot("ID").Call()
	}
	var constants, relations []jen.Code
	for i, field := range q.constants {
		constants = append(constants, id("Constants", i, field))
	}
	for i, field := range q.relations {
		relation := id("Relations", i, field)
		if r := q.slots.Relations[i]; r.Param && r.Inverse {
			relation.Dot("Inverse").Call()
		}
		relations = append(relations, relation)
	}
	return jen.Func().Params(jen.Id("p").Id(q.Parameters)).Qual(codegen.SCQPath, "Bindings").Block(
		jen.Return(jen.Qual(codegen.SCQPath, "Bindings").Values(codegen.Lines(
			codegen.Field("Constants", jen.Index().Qual(codegen.ModelPath, "EntityID").Values(filled(constants)...)),
			codegen.Field("Relations", jen.Index().Qual(codegen.ModelPath, "RelationID").Values(filled(relations)...)),
		)...)))
}

// filled puts slots on lines of their own if they are too many for one.
func filled(slots []jen.Code) []jen.Code {
	width := len("\t\t\tRelations: []model.RelationID{},") + 3*3 // tabs are as wide as four letters
	for _, s := range slots {
		width += utf8.RuneCountInString(fmt.Sprintf("%#v", s)) + len(", ")
	}
	if width > maxWidth {
		return codegen.Lines(slots...)
	}
	return slots
}
