package gogen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// methods prints the methods of a template's type.
func (g *generator) methods(q *template) {
	switch q.spec.Kind {
	case plan.Verdict:
		g.ask(q, "Decide", "Decide says whether the sentence is known, or predicted and with what confidence, with its best witness.",
			runtimePointer("Verdict"), jen.Id("r").Dot("Verdict"))
	case plan.Count:
		g.ask(q, "Count", fmt.Sprintf("Count estimates the number of entities that are %s: those that are known, and those that are missing.", q.Free),
			runtimePointer("Count"), jen.Id("r").Dot("Count"))
	case plan.Rows:
		g.reply(q)
		g.answer(q, fmt.Sprintf("Answer ranks the entities that %s may be together.", strings.Join(q.spec.Variables, ", ")))
	default:
		g.reply(q)
		values := ""
		if len(q.Show) > 0 {
			values = ", with the values of " + strings.Join(q.Shown(), ", ") + " beside each"
		}
		g.answer(q, fmt.Sprintf("Answer ranks the entities by how likely each is to be %s%s.", q.Free, values))
		g.answerBatch(q)
		g.best(q)
		g.why(q)
	}
	g.warning(q)
}

// answerBatch prints the method that answers for several parameter sets.
func (g *generator) answerBatch(q *template) {
	g.prose("AnswerBatch answers for several parameters, one result each, in order.")
	args := jen.Qual(codegen.PlanPath, "Each").Call(jen.Id("batch"), jen.Id(q.Parameters).Dot("args"))
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("AnswerBatch").
		Params(ctx(), jen.Id("batch").Index().Id(q.Parameters), options()).Params(jen.Index().Op("*").Id(q.Reply), jen.Error()).
		Block(
			jen.List(jen.Id("r"), jen.Err()).Op(":=").Id("q").Dot("question").Dot("AskAll").Call(jen.Id("ctx"), args, jen.Id("o")),
			failed(),
			jen.Return(jen.Qual(codegen.PlanPath, "Each").Call(jen.Id("r"), jen.Id(q.MakeReply)), jen.Nil()),
		)
}

// best prints the method that returns only ids and scores.
func (g *generator) best(q *template) {
	g.prose("Best returns the entities and scores of the k best answers, without names, statuses and confidences. It allocates nothing if dst " +
		"suffices: see runtime.Question.Best.")
	scored := func() *jen.Statement { return jen.Index().Qual(codegen.RuntimePath, "Scored") }
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Best").
		Params(ctx(), jen.Id("p").Id(q.Parameters), jen.Id("k").Int(), jen.Id("dst").Add(scored())).Params(scored(), jen.Error()).
		Block(jen.Return(jen.Id("q").Dot("question").Dot("Best").Call(jen.Id("ctx"), jen.Id("p").Dot("args").Call(), jen.Id("k"), jen.Id("dst"))))
}

// why prints the method that explains answers.
func (g *generator) why(q *template) {
	g.prose("Why explains answers, in order: the values of the existential variables that make each most true, and whether " +
		"each link is observed or predicted. Without answers it explains those of Answer.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Why").
		Params(ctx(), jen.Id("p").Id(q.Parameters), options(), jen.Id("answers").Op("...").Qual(codegen.RuntimePath, "EntityID")).
		Params(jen.Index().Qual(codegen.RuntimePath, "Witness"), jen.Error()).
		Block(jen.Return(jen.Id("q").Dot("question").Dot("Why").Call(jen.Id("ctx"), jen.Id("p").Dot("args").Call(), jen.Id("o"), jen.Id("answers").Op("..."))))
}

// warning prints the method that compares semantics.
func (g *generator) warning(q *template) {
	g.prose("Warning says that the model's own choice is another semantics than " + g.file.Semantics.String() + ", and what to do. It is empty if they agree.")
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Warning").Params().String().
		Block(jen.Return(jen.Id("q").Dot("question").Dot("Warning").Call()))
}

func ctx() jen.Code     { return jen.Id("ctx").Qual("context", "Context") }
func options() jen.Code { return jen.Id("o").Qual(codegen.RuntimePath, "Options") }

// runtimePointer is the type of a pointer to a type of the runtime.
func runtimePointer(name string) *jen.Statement { return jen.Op("*").Qual(codegen.RuntimePath, name) }

// failed prints the error return of a function with two results.
func failed() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
}

// ask prints a method that asks the template, and returns found, an expression over the reply r.
func (g *generator) ask(q *template, name, doc string, result, found jen.Code) {
	g.prose(doc)
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id(name).
		Params(ctx(), jen.Id("p").Id(q.Parameters), options()).Params(result, jen.Error()).
		Block(
			jen.List(jen.Id("r"), jen.Err()).Op(":=").Id("q").Dot("question").Dot("Ask").Call(jen.Id("ctx"), jen.Id("p").Dot("args").Call(), jen.Id("o")),
			failed(),
			jen.Return(found, jen.Nil()),
		)
}

// answer prints the method that returns the typed reply.
func (g *generator) answer(q *template, doc string) {
	g.ask(q, "Answer", doc, jen.Op("*").Id(q.Reply), jen.Id(q.MakeReply).Call(jen.Id("r")))
}

// hasRows reports whether a template's answers are rows.
func (q *template) hasRows() bool { return q.Asks().Lists() }

// rowClaims are the fixed names of a row's fields and methods.
func rowClaims() codegen.Claims {
	claims := codegen.Claims{"Row": "the row itself", "Value": "its method"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[runtime.Row]()) {
		claims[f.Name] = "each row"
	}
	return claims
}

// reply prints the types of a template's reply and rows, with a field for each answer variable and each shown
// variable, and the function that makes the reply.
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
