package gogen

import "github.com/dave/jennifer/jen"

// newQuery prints the call that binds the plan of a query to the model m.
func (g *generator) newQuery(q *query) *jen.Statement {
	args := []jen.Code{jen.Id("m"), jen.Id(q.shape.variable), g.queryNames(q)}
	if q.shape.Bind != nil {
		return jen.Qual(runtimePath, "NewBoundQuery").Call(append(args, jen.Id("bindings"))...)
	}
	return jen.Qual(runtimePath, "NewQuery").Call(args...)
}
