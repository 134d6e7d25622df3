package gogen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
)

// methods prints what a template can be asked. A template that shows variables has a result
// type of its own.
func (g *generator) methods(q *template) {
	if q.Count {
		g.method(q, "Count", fmt.Sprintf("Count estimates the number of entities that are %s: those that are known, and those that are missing.", q.Free),
			"p", jen.Id(q.Parameters), jen.Op("*").Qual(codegen.RuntimePath, "Count"), nil)
		g.warning(q)
		return
	}
	result := jen.Op("*").Qual(codegen.RuntimePath, "Answers")
	values := ""
	if len(q.Show) > 0 {
		g.results(q)
		result = jen.Op("*").Id(q.Answers)
		values = ", with the values of " + strings.Join(q.Shown(), ", ") + " beside each"
	}
	g.method(q, "Answer", fmt.Sprintf("Answer ranks the entities by how likely each is to be %s%s.", q.Free, values),
		"p", jen.Id(q.Parameters), result, jen.Id(q.Rows).Call(jen.Id("r")))
	g.method(q, "AnswerBatch", "AnswerBatch answers for several parameters, one result each, in order.",
		"batch", jen.Index().Id(q.Parameters), jen.Index().Add(result), jen.Qual(codegen.PlanPath, "Each").Call(jen.Id("r"), jen.Id(q.Rows)))
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

// method prints a method that asks the template with a parameter; rows makes the result r into that of
// a template that shows variables.
func (g *generator) method(q *template, name, doc, param string, of, result, rows jen.Code) {
	g.prose(doc)
	asked := jen.Id("q").Dot("template").Dot(name).Call(jen.Id("ctx"), jen.Id(param), jen.Id("o"))
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id(name).
		Params(ctx(), jen.Id(param).Add(of), options()).Params(result, jen.Error()).
		BlockFunc(func(b *jen.Group) {
			if len(q.Show) == 0 {
				b.Return(asked)
				return
			}
			b.List(jen.Id("r"), jen.Err()).Op(":=").Add(asked)
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			b.Return(rows, jen.Nil())
		})
}

// results prints the result of a template that shows variables: a struct with a field for
// each of them.
func (g *generator) results(q *template) {
	g.prose(fmt.Sprintf("%s are the answers of %s.", q.Answers, q.Type))
	g.out.Type().Id(q.Answers).Struct(
		jen.Op("*").Qual(codegen.RuntimePath, "Answers"),
		jen.Comment("Rows are the answers, best first, with the values of variables as fields."),
		jen.Id("Rows").Index().Id(q.Answer).Tag(map[string]string{"json": "-"}),
	)
	g.prose(fmt.Sprintf("%s is an answer of %s with the variables' values in its best witness; a variable without a value is zero.", q.Answer, q.Type))
	fields := []jen.Code{jen.Qual(codegen.RuntimePath, "Answer")}
	for _, v := range q.Shown() {
		fields = append(fields, jen.Id(codegen.Exported(v)).Qual(codegen.RuntimePath, "WitnessEntity").Comment(v))
	}
	g.out.Type().Id(q.Answer).Struct(fields...)
	g.prose(fmt.Sprintf("%s puts the values of variables into fields.", q.Rows))
	g.out.Func().Id(q.Rows).Params(jen.Id("r").Op("*").Qual(codegen.RuntimePath, "Answers")).Op("*").Id(q.Answers).BlockFunc(func(b *jen.Group) {
		b.Id("rows").Op(":=").Make(jen.Index().Id(q.Answer), jen.Len(jen.Id("r").Dot("Answers")))
		b.For(jen.List(jen.Id("i"), jen.Id("a")).Op(":=").Range().Id("r").Dot("Answers")).BlockFunc(func(b *jen.Group) {
			b.Id("rows").Index(jen.Id("i")).Dot("Answer").Op("=").Id("a")
			for _, v := range q.Shown() {
				b.List(jen.Id("rows").Index(jen.Id("i")).Dot(codegen.Exported(v)), jen.Id("_")).Op("=").Id("a").Dot("Value").Call(jen.Lit(v))
			}
		})
		b.Return(jen.Op("&").Id(q.Answers).Values(jen.Id("r"), jen.Id("rows")))
	})
}
