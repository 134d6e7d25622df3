package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
)

// benchmarks prints the file of benchmarks, which compare the engines on each template.
func (g *generator) benchmarks(queries []*template) ([]byte, error) {
	g.out = codegen.NewGoFile(g.options.Package, g.options.Header())
	for _, q := range queries {
		name := "Benchmark" + q.Type
		g.prose(fmt.Sprintf("%s compares the engines on %s. The variable EFOC_MODEL names the model.", name, q.Type))
		g.out.Func().Id(name).Params(jen.Id("b").Op("*").Qual("testing", "B")).Block(
			jen.Qual(codegen.BenchPath, "Run").Call(jen.Id("b"), jen.Qual(codegen.BenchPath, "Template").Values(codegen.Lines(
				codegen.Field("Text", jen.Lit(q.Query.Alone().String())),
				codegen.Field("Semantics", jen.Qual(codegen.PlanPath, codegen.Semantics[g.file.Semantics])),
				codegen.Field("Layers", jen.Lit(g.layers(q))),
				codegen.Field("Spec", jen.Op("&").Id(q.Spec)),
			)...)),
		)
	}
	return codegen.RenderGo(g.out)
}

// layers returns the number of layers of a template's plans, 0 if its parts choose their own.
func (g *generator) layers(q *template) int {
	if len(q.shapes) > 1 {
		return g.file.Source.Layers
	}
	return q.shapes[0].Layers
}
