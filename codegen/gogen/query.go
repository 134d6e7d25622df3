package gogen

import (
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/fit"
)

// query prints a template's type, parameters, constructor and methods.
func (g *generator) query(q *query) {
	g.queryType(q)
	g.params(q)
	g.constructor(q)
	g.answer(q)
	if g.semantics() != fit.NSMP {
		g.why(q)
	}
	g.bind(q)
}

// named reports whether the query names entities or relations itself, instead of
// taking all of them as parameters.
func (q *query) named() bool {
	return slices.ContainsFunc(q.names.Constants, func(t lang.Term) bool { return t.Kind == lang.Constant }) ||
		slices.ContainsFunc(q.names.Relations, func(r lang.Relation) bool { return !r.Param })
}

func (g *generator) queryType(q *query) {
	doc := q.Doc
	if doc == "" {
		doc = fmt.Sprintf("%s answers a query template.", q.typeName)
	}
	g.comment(doc)
	g.out.Comment("//")
	g.comment("The query, of shape " + q.shape.Shape.Key + ":")
	g.out.Comment("//")
	for _, line := range commentLines(q.Query.String()) {
		g.out.Comment("//\t" + strings.TrimPrefix(line, "// "))
	}
	g.out.Comment("//")
	g.comment("It is bound to one model and safe for concurrent use.")
	fields := []jen.Code{jen.Id("query").Op("*").Qual(runtimePath, "Query")}
	if q.named() {
		fields = append(fields,
			jen.Comment("names holds what the query's own names stand for in the model."),
			jen.Id("names").Qual(runtimePath, "Bindings"))
	}
	g.out.Type().Id(q.typeName).Struct(fields...)
}

func (g *generator) params(q *query) {
	g.comment(fmt.Sprintf("%sParams are the parameters of %s.", q.typeName, q.typeName))
	var fields []jen.Code
	for i, p := range q.Params {
		fields = append(fields, jen.Id(q.fields[i]).Qual(runtimePath, idType(p.Kind)).
			Comment("$"+p.Name))
	}
	g.out.Type().Id(q.typeName + "Params").Struct(fields...)
}

func idType(k lang.Kind) string {
	if k == lang.RelationKind {
		return "RelationID"
	}
	return "EntityID"
}

func (g *generator) constructor(q *query) {
	name := "New" + q.typeName
	g.comment(fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", name, q.typeName))
	model := jen.Qual(runtimePath, "AnyModel")
	if g.semantics() == fit.NSMP {
		g.comment("A model on a device answers there, with the kernels of efoc generate --cuda.")
	} else {
		g.comment("It takes no model on a device: kernels have no semantics but nsmp.")
		model = jen.Op("*").Qual(runtimePath, "Model")
	}
	g.out.Func().Id(name).Params(jen.Id("m").Add(model)).
		Params(jen.Op("*").Id(q.typeName), jen.Error()).
		BlockFunc(func(b *jen.Group) {
			fields := []jen.Code{field("query", jen.Id("query"))}
			if q.named() {
				g.lookUp(b, q)
				fields = append(fields, field("names", jen.Id("bindings")))
			}
			b.List(jen.Id("query"), jen.Err()).Op(":=").Add(g.newQuery(q))
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			b.Return(jen.Op("&").Id(q.typeName).Values(fields...), jen.Nil())
		})
}

// lookUp prints the code that resolves the query's own names.
func (g *generator) lookUp(b *jen.Group, q *query) {
	b.Id("names").Op(":=").Qual(runtimePath, "NewLookup").Call(jen.Id("m"), jen.Lit(q.Name))
	b.Id("bindings").Op(":=").Qual(runtimePath, "Bindings").Values(lines(
		field("Constants", jen.Make(jen.Index().Qual(runtimePath, "EntityID"), jen.Lit(len(q.names.Constants)))),
		field("Relations", jen.Make(jen.Index().Qual(runtimePath, "RelationID"), jen.Lit(len(q.names.Relations)))),
	)...)
	for i, t := range q.names.Constants {
		if t.Kind == lang.Constant {
			b.Id("bindings").Dot("Constants").Index(jen.Lit(i)).Op("=").
				Id("names").Dot("Entity").Call(jen.Lit(t.Name))
		}
	}
	for i, r := range q.names.Relations {
		if !r.Param {
			b.Id("bindings").Dot("Relations").Index(jen.Lit(i)).Op("=").
				Id("names").Dot("Relation").Call(jen.Lit(r.Name), jen.Lit(r.Inverse))
		}
	}
	b.If(jen.Err().Op(":=").Id("names").Dot("Err").Call(), jen.Err().Op("!=").Nil()).
		Block(jen.Return(jen.Nil(), jen.Err()))
}

// queryNames gives the user's names of the query and its variables.
func (g *generator) queryNames(q *query) jen.Code {
	var scqs []jen.Code
	for _, graph := range q.names.SCQs {
		var vars []jen.Code
		for _, v := range graph.Variables {
			vars = append(vars, jen.Lit(v.Source))
		}
		scqs = append(scqs, jen.Values(vars...))
	}
	return jen.Qual(runtimePath, "QueryNames").Values(lines(
		field("Query", jen.Lit(q.Name)),
		field("Variables", jen.Index().Index().String().Values(scqs...)),
	)...)
}

func (g *generator) answer(q *query) {
	g.comment(fmt.Sprintf("Answer ranks the entities by how likely each is to be %s in the query.", q.Free))
	recv := jen.Id("q").Op("*").Id(q.typeName)
	ctx := jen.Id("ctx").Qual("context", "Context")
	options := jen.Id("o").Qual(runtimePath, "Options")
	g.out.Func().Params(recv).Id("Answer").
		Params(ctx, jen.Id("p").Id(q.typeName+"Params"), options).
		Params(jen.Op("*").Qual(runtimePath, "Answers"), jen.Error()).
		Block(jen.Return(jen.Id("q").Dot("query").Dot("Answer").
			Call(jen.Id("ctx"), jen.Id("q").Dot("bind").Call(jen.Id("p")), jen.Id("o"))))

	g.comment("AnswerBatch answers for several parameters, one result each, in order.")
	g.out.Func().Params(recv).Id("AnswerBatch").
		Params(ctx, jen.Id("batch").Index().Id(q.typeName+"Params"), options).
		Params(jen.Index().Op("*").Qual(runtimePath, "Answers"), jen.Error()).
		Block(
			jen.Id("bindings").Op(":=").Make(jen.Index().Qual(runtimePath, "Bindings"), jen.Len(jen.Id("batch"))),
			jen.For(jen.List(jen.Id("i"), jen.Id("p")).Op(":=").Range().Id("batch")).
				Block(jen.Id("bindings").Index(jen.Id("i")).Op("=").Id("q").Dot("bind").Call(jen.Id("p"))),
			jen.Return(jen.Id("q").Dot("query").Dot("AnswerBatch").Call(jen.Id("ctx"), jen.Id("bindings"), jen.Id("o"))),
		)
}

// why prints the method that explains answers by truth degrees.
func (g *generator) why(q *query) {
	g.comment("Why returns the best witness of each of the answers, in order: values of the existential variables, and of each " +
		"atom whether its link is observed or predicted. Settings that are nil are the model's.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.typeName)).Id("Why").
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("p").Id(q.typeName+"Params"),
			jen.Id("s").Op("*").Qual(runtimePath, "Settings"), jen.Id("answers").Op("...").Qual(runtimePath, "EntityID")).
		Params(jen.Index().Qual(fitPath, "Witness"), jen.Error()).
		Block(jen.Return(jen.Qual(fitPath, "Witnesses").Call(jen.Id("ctx"), jen.Id("q").Dot("query"),
			jen.Id("q").Dot("bind").Call(jen.Id("p")), jen.Id("s"), jen.Id("answers"))))
}

// bind prints the method that puts parameters into the plan's slots.
func (g *generator) bind(q *query) {
	goField := map[string]string{}
	for i, p := range q.Params {
		goField[p.Name] = q.fields[i]
	}
	g.comment("bind fills the slots of the plan.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.typeName)).Id("bind").
		Params(jen.Id("p").Id(q.typeName + "Params")).
		Params(jen.Qual(runtimePath, "Bindings")).
		BlockFunc(func(b *jen.Group) {
			var constants, relations []jen.Code
			for i, t := range q.names.Constants {
				code := jen.Id("q").Dot("names").Dot("Constants").Index(jen.Lit(i))
				if t.Kind == lang.Parameter {
					code = jen.Id("p").Dot(goField[t.Name])
				}
				constants = append(constants, code)
			}
			for i, r := range q.names.Relations {
				code := jen.Id("q").Dot("names").Dot("Relations").Index(jen.Lit(i))
				if r.Param {
					code = jen.Id("p").Dot(goField[r.Name])
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

// comment prints a comment, a line for each of the text's.
func (g *generator) comment(text string) {
	for _, line := range commentLines(text) {
		g.out.Comment(line)
	}
}

// commentLines splits text into lines that are safe behind comment marks:
// control characters are dropped, and each line gets its marks here, so that no
// printer chooses another kind of comment.
func commentLines(text string) []string {
	if text == "" {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		line = strings.TrimRight("// "+strings.Map(printable, line), " ")
		if constraint.IsPlusBuild(line) {
			// gofmt would turn it into a build constraint for the file.
			line = "// \"" + strings.TrimPrefix(line, "// ") + "\""
		}
		lines = append(lines, line)
	}
	return lines
}

// printable drops what could end a comment line or hide text in it.
func printable(r rune) rune {
	if r == '\t' {
		return ' '
	}
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
		return -1
	}
	return r
}
