package gogen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/runtime"
)

// methods prints what a template can be asked.
func (g *generator) methods(q *template) {
	if q.Count {
		g.method(q, "Count", fmt.Sprintf("Count estimates the number of entities that are %s: those that are known, and those that are missing.", q.Free),
			"p", jen.Id(q.Parameters), runtimePointer("Count"), nil)
		g.warning(q)
		return
	}
	g.reply(q)
	values := ""
	if len(q.Show) > 0 {
		values = ", with the values of " + strings.Join(q.Shown(), ", ") + " beside each"
	}
	g.answer(q, fmt.Sprintf("Answer ranks the entities by how likely each is to be %s%s.", q.Free, values))
	g.method(q, "AnswerBatch", "AnswerBatch answers for several parameters, one result each, in order.",
		"batch", jen.Index().Id(q.Parameters), jen.Index().Op("*").Id(q.Reply),
		jen.Qual(codegen.PlanPath, "Each").Call(jen.Id("r"), jen.Id(q.MakeReply)))
	g.prose("Why explains answers, in order: the values of the existential variables that make each most true, and whether " +
		"each link is observed or predicted. Without answers it explains those of Answer.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Why").
		Params(ctx(), jen.Id("p").Id(q.Parameters), options(), jen.Id("answers").Op("...").Qual(codegen.ModelPath, "EntityID")).
		Params(jen.Index().Qual(codegen.RuntimePath, "Witness"), jen.Error()).
		Block(jen.Return(jen.Id("q").Dot("template").Dot("Why").Call(jen.Id("ctx"), jen.Id("p"), jen.Id("o"), jen.Id("answers").Op("..."))))
	g.warning(q)
}

// warning prints the method that compares semantics.
func (g *generator) warning(q *template) {
	g.prose("Warning says that the model's own choice is another semantics than " + g.file.Semantics.String() + ", and what to do. It is empty if they agree.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Warning").Params().String().
		Block(jen.Return(jen.Id("q").Dot("template").Dot("Warning").Call()))
}

func ctx() jen.Code     { return jen.Id("ctx").Qual("context", "Context") }
func options() jen.Code { return jen.Id("o").Qual(codegen.RuntimePath, "Options") }

// runtimePointer is the type of a pointer to what the runtime has under a name.
func runtimePointer(name string) *jen.Statement { return jen.Op("*").Qual(codegen.RuntimePath, name) }

// failed prints how a function of two results gives an error back.
func failed() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
}

// method prints a method that asks the template with a parameter; rows, if not nil, makes the result r
// into the template's own.
func (g *generator) method(q *template, name, doc, param string, of, result, rows jen.Code) {
	g.prose(doc)
	asked := jen.Id("q").Dot("template").Dot(name).Call(jen.Id("ctx"), jen.Id(param), jen.Id("o"))
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id(name).
		Params(ctx(), jen.Id(param).Add(of), options()).Params(result, jen.Error()).
		BlockFunc(func(b *jen.Group) {
			if rows == nil {
				b.Return(asked)
				return
			}
			b.List(jen.Id("r"), jen.Err()).Op(":=").Add(asked)
			b.Add(failed())
			b.Return(rows, jen.Nil())
		})
}

// answer prints the method that returns the typed reply.
func (g *generator) answer(q *template, doc string) {
	g.method(q, "Answer", doc, "p", jen.Id(q.Parameters), jen.Op("*").Id(q.Reply), jen.Id(q.MakeReply).Call(jen.Id("r")))
}

// hasRows reports whether a template is answered with rows.
func (q *template) hasRows() bool { return !q.Count && q.claims == nil }

// rowClaims are the names that a row has of its own.
func rowClaims() codegen.Claims {
	claims := codegen.Claims{"Row": "the row itself", "Value": "its method"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[runtime.Row]()) {
		claims[f.Name] = "each row"
	}
	return claims
}

// reply prints the types of a template's reply and of its rows, which have a field for each answer
// variable and for each that is shown, and the function that makes the reply.
func (g *generator) reply(q *template) {
	g.prose(fmt.Sprintf("%s is a reply to %s. It marshals as the runtime.Reply.", q.Reply, q.Type))
	g.out.Type().Id(q.Reply).Struct(
		runtimePointer("Reply"),
		jen.Comment("Rows are the answers, best first, with the values of variables as fields."),
		jen.Id("Rows").Index().Id(q.Row),
	)
	doc := fmt.Sprintf("%s is an answer of %s", q.Row, q.Type)
	if len(q.Show) > 0 {
		doc += ", with the values in its best witness of variables under exists; a variable without a value is zero"
	}
	g.prose(doc + ".")
	fields := []jen.Code{jen.Qual(codegen.RuntimePath, "Row")}
	for _, v := range slices.Concat(q.Variables(), q.Show) {
		fields = append(fields, jen.Id(codegen.Exported(v.Name)).Qual(codegen.RuntimePath, "Value").Comment(v.Name))
	}
	g.out.Type().Id(q.Row).Struct(fields...)
	g.prose(fmt.Sprintf("%s puts the values of variables into fields.", q.MakeReply))
	g.out.Func().Id(q.MakeReply).Params(jen.Id("r").Add(runtimePointer("Reply"))).Op("*").Id(q.Reply).Block(
		jen.Id("rows").Op(":=").Make(jen.Index().Id(q.Row), jen.Len(jen.Id("r").Dot("Rows"))),
		jen.For(jen.List(jen.Id("i"), jen.Id("row")).Op(":=").Range().Id("r").Dot("Rows")).BlockFunc(func(b *jen.Group) {
			field := func(name string) *jen.Statement { return jen.Id("rows").Index(jen.Id("i")).Dot(name).Op("=").Id("row") }
			b.Add(field("Row"))
			for i, v := range q.Variables() {
				b.Add(field(codegen.Exported(v.Name))).Dot("Values").Index(jen.Lit(i))
			}
			for _, v := range q.Shown() {
				b.Add(field(codegen.Exported(v))).Dot("Value").Call(jen.Lit(v))
			}
		}),
		jen.Return(jen.Op("&").Id(q.Reply).Values(jen.Id("r"), jen.Id("rows"))),
	)
}
