package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

// benchmarks prints the file of benchmarks, which compare the engines on each template.
func (g *generator) benchmarks(queries []*template) ([]byte, error) {
	g.out = codegen.NewGoFile(g.options.Package, g.options.Part.Header(g.options.Version, g.options.Source))
	for _, q := range queries {
		name := "Benchmark" + q.Type
		g.prose(fmt.Sprintf("%s compares the engines on %s. The variable EFOC_MODEL names the model.", name, q.Type))
		g.out.Func().Id(name).Params(jen.Id("b").Op("*").Qual("testing", "B")).Block(
			jen.Qual(codegen.BenchPath, "Run").Call(jen.Id("b"), jen.Qual(codegen.BenchPath, "Template").Values(codegen.Lines(
				codegen.Field("Text", jen.Lit(q.Query.Alone().String())),
				codegen.Field("Semantics", jen.Qual(codegen.ModelPath, codegen.Semantics[g.file.Semantics])),
				codegen.Field("Layers", jen.Lit(g.layers(q))),
				codegen.Field("Bind", g.benchBind(q)),
			)...)),
		)
	}
	return codegen.RenderGo(g.out)
}

// layers returns how many layers the plans of a template have; 0 lets each part have its own number.
func (g *generator) layers(q *template) int {
	if q.shape == nil {
		return g.file.Source.Layers
	}
	return q.shape.Layers
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
		values = append(values, codegen.Field(q.fields[i], value))
	}
	method, number := "Answer", "Best"
	if q.claims != nil {
		method, number = "Decide", "Degree"
	}
	ask := jen.Func().Params(ctx(), jen.Id("a").Qual(codegen.BenchPath, "Arguments"), options()).
		Params(jen.Float64(), jen.Error()).
		Block(jen.Return(jen.Qual(codegen.BenchPath, number).Call(
			jen.Id("q").Dot("template").Dot(method).Call(jen.Id("ctx"), jen.Id(q.Parameters).Values(values...), jen.Id("o")))))
	return jen.Func().Params(jen.Id("m").Op("*").Qual(codegen.RuntimePath, "Model")).Params(jen.Qual(codegen.BenchPath, "Ask"), jen.Error()).Block(
		jen.List(jen.Id("q"), jen.Err()).Op(":=").Id(q.New).Call(jen.Id("m")),
		failed(),
		jen.Return(ask, jen.Nil()),
	)
}
