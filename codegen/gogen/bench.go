package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

// benchPath is the package that generated benchmarks call.
const benchPath = "github.com/efoc/efoc/compiler/enginebench"

// benchmarks prints the file of benchmarks, which compare the engines on each template.
func (g *generator) benchmarks(queries []*template) ([]byte, error) {
	g.out = jen.NewFile(g.options.Package)
	g.out.HeaderComment(g.options.Part.Header(g.options.Source))
	g.importNames()
	for _, q := range queries {
		name := "Benchmark" + q.Type
		g.prose(fmt.Sprintf("%s compares the engines on %s. The variable EFOC_MODEL names the model.", name, q.Type))
		g.out.Func().Id(name).Params(jen.Id("b").Op("*").Qual("testing", "B")).Block(
			jen.Qual(benchPath, "Run").Call(jen.Id("b"), jen.Qual(benchPath, "Template").Values(lines(
				field("Text", jen.Lit(q.Query.String())),
				field("Semantics", jen.Qual(modelPath, codegen.Semantics[g.file.Semantics])),
				field("Layers", jen.Lit(q.shape.Layers)),
				field("Bind", g.benchBind(q)),
			)...)),
		)
	}
	return g.render()
}

// benchBind prints the function that binds a template's type to a model.
func (g *generator) benchBind(q *template) jen.Code {
	var values []jen.Code
	for i, p := range q.Params {
		method := "Entity"
		if p.Kind == lang.RelationKind {
			method = "Relation"
		}
		value := jen.Id("a").Dot(method).Call(jen.Lit(p.Name))
		if name := g.goType(q.Query, p); name != "" {
			value = jen.Id(name).Values(value)
		}
		values = append(values, field(q.fields[i], value))
	}
	ask := jen.Func().Params(ctx(), jen.Id("a").Qual(benchPath, "Arguments"), options()).
		Params(jen.Op("*").Qual(runtimePath, "Answers"), jen.Error()).
		Block(jen.Return(jen.Id("q").Dot("template").Dot("Answer").Call(jen.Id("ctx"), jen.Id(q.Parameters).Values(values...), jen.Id("o"))))
	return jen.Func().Params(jen.Id("m").Op("*").Qual(runtimePath, "Model")).Params(jen.Qual(benchPath, "Ask"), jen.Error()).Block(
		jen.List(jen.Id("q"), jen.Err()).Op(":=").Id(q.New).Call(jen.Id("m")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(ask, jen.Nil()),
	)
}
