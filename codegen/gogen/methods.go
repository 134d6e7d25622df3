package gogen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

// methods prints what a template can be asked. A template that shows variables has a result
// type of its own.
func (g *generator) methods(q *template) {
	if q.Count {
		g.method(q, "Count", fmt.Sprintf("Count estimates the number of entities that are %s: those that are known, and those that are missing.", q.Free),
			"p", jen.Id(q.Parameters), runtimePointer("Count"), nil)
		g.warning(q)
		return
	}
	result, values := runtimePointer("Answers"), ""
	var rows, each jen.Code
	if q.hasResult() {
		g.results(q)
		result = jen.Op("*").Id(q.Answers)
		rows, each = jen.Id(q.Rows).Call(jen.Id("r")), jen.Qual(codegen.PlanPath, "Each").Call(jen.Id("r"), jen.Id(q.Rows))
		values = ", with the values of " + strings.Join(q.Shown(), ", ") + " beside each"
	}
	g.method(q, "Answer", fmt.Sprintf("Answer ranks the entities by how likely each is to be %s%s.", q.Free, values),
		"p", jen.Id(q.Parameters), result, rows)
	g.method(q, "AnswerBatch", "AnswerBatch answers for several parameters, one result each, in order.",
		"batch", jen.Index().Id(q.Parameters), jen.Index().Add(result), each)
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

// hasResult reports whether a template has a result of its own: one that shows variables or has several
// answer variables.
func (q *template) hasResult() bool { return q.parts != nil || len(q.Show) > 0 }

// rowVariables returns the answer variables of a template that has several.
func (q *template) rowVariables() []lang.Term {
	if q.parts == nil {
		return nil
	}
	return q.Variables()
}

// results prints the result of a template that has one of its own: a struct with a field for each of
// several answer variables, and for each that is shown.
func (g *generator) results(q *template) {
	result, list, row := "Answers", "Answers", "Answer"
	if q.parts != nil {
		result, list, row = "TupleAnswers", "Rows", "Row"
	}
	g.prose(fmt.Sprintf("%s are the answers of %s.", q.Answers, q.Type))
	g.out.Type().Id(q.Answers).Struct(
		runtimePointer(result),
		jen.Comment("Rows are the answers, best first, with the values of variables as fields."),
		jen.Id("Rows").Index().Id(q.Answer).Tag(map[string]string{"json": "-"}),
	)
	g.prose(fmt.Sprintf("%s is an answer of %s with the values of variables, those under exists in its best witness; a variable without a value is zero.", q.Answer, q.Type))
	fields := []jen.Code{jen.Qual(codegen.RuntimePath, row)}
	for _, v := range append(q.rowVariables(), q.Show...) {
		fields = append(fields, jen.Id(codegen.Exported(v.Name)).Qual(codegen.RuntimePath, "WitnessEntity").Comment(v.Name))
	}
	g.out.Type().Id(q.Answer).Struct(fields...)
	g.prose(fmt.Sprintf("%s puts the values of variables into fields.", q.Rows))
	g.out.Func().Id(q.Rows).Params(jen.Id("r").Add(runtimePointer(result))).Op("*").Id(q.Answers).BlockFunc(func(b *jen.Group) {
		b.Id("rows").Op(":=").Make(jen.Index().Id(q.Answer), jen.Len(jen.Id("r").Dot(list)))
		b.For(jen.List(jen.Id("i"), jen.Id("a")).Op(":=").Range().Id("r").Dot(list)).BlockFunc(func(b *jen.Group) {
			field := func(name string) *jen.Statement { return jen.Id("rows").Index(jen.Id("i")).Dot(name).Op("=").Id("a") }
			b.Add(field(row))
			for i, v := range q.rowVariables() {
				b.Add(field(codegen.Exported(v.Name))).Dot("Values").Index(jen.Lit(i)).Dot("WitnessEntity")
			}
			for _, v := range q.Shown() {
				b.Add(field(codegen.Exported(v))).Dot("Value").Call(jen.Lit(v))
			}
		})
		b.Return(jen.Op("&").Id(q.Answers).Values(jen.Id("r"), jen.Id("rows")))
	})
}
