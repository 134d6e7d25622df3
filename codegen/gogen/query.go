package gogen

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// query prints a template's type, parameters, constructor and methods.
func (g *generator) query(q *query) {
	g.queryType(q)
	g.params(q)
	g.constructor(q)
	g.answer(q)
	g.why(q)
	g.bind(q)
}

// named reports whether the query names entities or relations itself, instead of
// taking all of them as parameters.
func (q *query) named() bool {
	return slices.ContainsFunc(q.slots.Constants, func(t lang.Term) bool { return t.Kind == lang.Constant }) ||
		slices.ContainsFunc(q.slots.Relations, func(r lang.Relation) bool { return !r.Param })
}

func (g *generator) queryType(q *query) {
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
	g.prose("It is bound to one model and safe for concurrent use.")
	fields := []jen.Code{jen.Id("query").Op("*").Qual(runtimePath, "Query")}
	if q.named() {
		fields = append(fields,
			jen.Comment("names holds what the query's own names stand for in the model."),
			jen.Id("names").Qual(runtimePath, "Bindings"))
	}
	g.out.Type().Id(q.Type).Struct(fields...)
}

// warnings prints what the user should know about the formula.
func (g *generator) warnings(q *query) {
	for _, w := range q.warnings {
		text := w.Msg
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		g.prose("Warning: " + text + ".")
		g.out.Comment("//")
	}
}

func (g *generator) params(q *query) {
	doc := fmt.Sprintf("%s are the parameters of %s.", q.Parameters, q.Type)
	if len(q.fields) > 0 {
		doc += " All of them must be set."
	}
	g.prose(doc)
	var fields []jen.Code
	for i, p := range q.Params {
		fields = append(fields, jen.Id(q.fields[i]).Qual(runtimePath, paramType(p.Kind)).
			Comment("$"+p.Name))
	}
	g.out.Type().Id(q.Parameters).Struct(fields...)
}

// paramType returns the type of a parameter in package runtime.
func paramType(k lang.Kind) string {
	if k == lang.RelationKind {
		return "Relation"
	}
	return "Entity"
}

func (g *generator) constructor(q *query) {
	name := q.New
	g.prose(fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", name, q.Type))
	model := jen.Qual(runtimePath, "AnyModel")
	if q.shape.Semantics == runtime.NSMP {
		g.prose("A model on a device answers there, with the kernels of efoc generate --cuda.")
	} else {
		g.prose("It takes no model on a device: kernels have no semantics but nsmp.")
		model = jen.Op("*").Qual(runtimePath, "Model")
	}
	g.out.Func().Id(name).Params(jen.Id("m").Add(model)).
		Params(jen.Op("*").Id(q.Type), jen.Error()).
		BlockFunc(func(b *jen.Group) {
			fields := []jen.Code{field("query", jen.Id("query"))}
			if q.named() {
				g.lookUp(b, q)
				fields = append(fields, field("names", jen.Id("bindings")))
			}
			b.List(jen.Id("query"), jen.Err()).Op(":=").Add(g.newQuery(q))
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			b.Return(jen.Op("&").Id(q.Type).Values(fields...), jen.Nil())
		})
}

// lookUp prints the code that resolves the query's own names.
func (g *generator) lookUp(b *jen.Group, q *query) {
	b.Id("names").Op(":=").Qual(runtimePath, "NewLookup").Call(jen.Id("m"), jen.Lit(q.Name))
	b.Id("bindings").Op(":=").Qual(runtimePath, "Bindings").Values(lines(
		field("Constants", jen.Make(jen.Index().Qual(runtimePath, "EntityID"), jen.Lit(len(q.slots.Constants)))),
		field("Relations", jen.Make(jen.Index().Qual(runtimePath, "RelationID"), jen.Lit(len(q.slots.Relations)))),
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
	b.If(jen.Err().Op(":=").Id("names").Dot("Err").Call(), jen.Err().Op("!=").Nil()).
		Block(jen.Return(jen.Nil(), jen.Err()))
}

// newQuery prints the call that binds the plan of a query to the model m.
func (g *generator) newQuery(q *query) *jen.Statement {
	args := []jen.Code{jen.Id("m"), jen.Id(q.shape.variable), g.queryNames(q)}
	if q.shape.Bind != nil {
		return jen.Qual(runtimePath, "NewBoundQuery").Call(append(args, jen.Id("bindings"))...)
	}
	return jen.Qual(runtimePath, "NewQuery").Call(args...)
}

// queryNames gives the user's names of the query and its variables.
func (g *generator) queryNames(q *query) jen.Code {
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
	var constants, relations []string
	for _, t := range q.slots.Constants {
		constants = append(constants, q.parameter(t.Kind == lang.Parameter, t.Name))
	}
	for _, r := range q.slots.Relations {
		relations = append(relations, q.parameter(r.Param, r.Name))
	}
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
	return jen.Qual(runtimePath, "QueryNames").Values(lines(fields...)...)
}

// parameter returns how a caller writes the parameter that fills a slot, empty where a
// name in the query does.
func (q *query) parameter(is bool, name string) string {
	if !is {
		return ""
	}
	return q.field(name)
}

// field returns the field of a parameter.
func (q *query) field(parameter string) string {
	i := slices.IndexFunc(q.Params, func(p lang.Param) bool { return p.Name == parameter })
	return q.fields[i]
}

func (g *generator) answer(q *query) {
	g.prose(fmt.Sprintf("Answer ranks the entities by how likely each is to be %s in the query.", q.Free))
	answers := jen.Op("*").Qual(runtimePath, "Answers")
	g.method(q, "Answer", "p", jen.Id("p").Id(q.Parameters), nil, answers,
		jen.Return(jen.Id("q").Dot("query").Dot("Answer").
			Call(jen.Id("ctx"), jen.Id("q").Dot("bind").Call(jen.Id("p")), jen.Id("o"))))

	g.prose("AnswerBatch answers for several parameters, one result each, in order.")
	g.method(q, "AnswerBatch", "batch []", jen.Id("batch").Index().Id(q.Parameters), nil, jen.Index().Add(answers),
		jen.Id("bindings").Op(":=").Make(jen.Index().Qual(runtimePath, "Bindings"), jen.Len(jen.Id("batch"))),
		jen.For(jen.List(jen.Id("i"), jen.Id("p")).Op(":=").Range().Id("batch")).
			Block(jen.Id("bindings").Index(jen.Id("i")).Op("=").Id("q").Dot("bind").Call(jen.Id("p"))),
		jen.Return(jen.Id("q").Dot("query").Dot("AnswerBatch").Call(jen.Id("ctx"), jen.Id("bindings"), jen.Id("o"))),
	)
}

// why prints the method that explains answers by truth degrees.
func (g *generator) why(q *query) {
	g.prose("Why explains answers, in order: by the values of the existential variables that make each most true, and " +
		"by whether the link of each atom is observed or predicted. Without answers it explains those of Answer.")
	answers := jen.Id("answers").Op("...").Qual(runtimePath, "EntityID")
	g.method(q, "Why", "p", jen.Id("p").Id(q.Parameters), answers, jen.Index().Qual(fitPath, "Witness"),
		jen.Return(jen.Qual(fitPath, "Why").Call(jen.Id("ctx"), jen.Id("q").Dot("query"),
			jen.Id("q").Dot("bind").Call(jen.Id("p")), jen.Id("o"), jen.Id("answers"))))
}

// method prints a method that takes a context, parameters, options and more, if it is not
// nil; each stands on a line of its own where they are too long for one.
func (g *generator) method(q *query, name, prefix string, params, more, result jen.Code, body ...jen.Code) {
	list := []jen.Code{jen.Id("ctx").Qual("context", "Context"), params, jen.Id("o").Qual(runtimePath, "Options")}
	width := len("func (q *) (ctx context.Context,  , o rt.Options) ([]*rt.Answers, error) {") +
		utf8.RuneCountInString(q.Type+name+prefix+q.Parameters)
	if more != nil {
		list = append(list, more)
		width += len(", answers ...rt.EntityID")
	}
	if width > maxWidth {
		list = lines(list...)
	}
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id(name).Params(list...).Params(result, jen.Error()).Block(body...)
}

// bind prints the method that puts parameters into the plan's slots.
func (g *generator) bind(q *query) {
	g.prose("bind fills the slots of the plan.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("bind").
		Params(jen.Id("p").Id(q.Parameters)).
		Params(jen.Qual(runtimePath, "Bindings")).
		BlockFunc(func(b *jen.Group) {
			var constants, relations []jen.Code
			for i, t := range q.slots.Constants {
				code := jen.Id("q").Dot("names").Dot("Constants").Index(jen.Lit(i))
				if t.Kind == lang.Parameter {
					code = jen.Id("p").Dot(q.field(t.Name)).Dot("ID").Call()
				}
				constants = append(constants, code)
			}
			for i, r := range q.slots.Relations {
				code := jen.Id("q").Dot("names").Dot("Relations").Index(jen.Lit(i))
				if r.Param {
					code = jen.Id("p").Dot(q.field(r.Name)).Dot("ID").Call()
				}
				if r.Param && r.Inverse {
					code = code.Dot("Inverse").Call()
				}
				relations = append(relations, code)
			}
			b.Return(jen.Qual(runtimePath, "Bindings").Values(lines(
				field("Constants", jen.Index().Qual(runtimePath, "EntityID").Values(constants...)),
				field("Relations", jen.Index().Qual(runtimePath, "RelationID").Values(relations...)),
			)...))
		})
}
