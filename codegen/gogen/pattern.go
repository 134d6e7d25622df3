package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/scq"
)

// patterns prints the query graphs of a shape, which its plans share.
func (g *generator) patterns(sh *shape) {
	if g.printed[sh.patterns] {
		return
	}
	g.printed[sh.patterns] = true
	g.prose(fmt.Sprintf("%s are the query graphs of shape %s.", sh.patterns, sh.Shape.Key))
	g.out.Var().Id(sh.patterns).Op("=").Add(graphs(sh.Shape))
}

// graphs prints the query graphs of a shape.
func graphs(s *lower.Shape) jen.Code {
	var list []jen.Code
	for i := range s.SCQs {
		list = append(list, jen.Values(lines(graphFields(&s.SCQs[i])...)...))
	}
	return jen.Index().Qual(scqPath, "Graph").Values(list...)
}

// graphFields prints a query graph, an atom on each line.
func graphFields(g *scq.Graph) []jen.Code {
	var variables, atoms []jen.Code
	for _, v := range g.Variables {
		variables = append(variables, jen.Lit(v))
	}
	for _, a := range g.Atoms {
		relation := jen.Lit(a.Relation)
		if a.Unequal() {
			relation = jen.Qual(scqPath, "Identity")
		}
		atom := []jen.Code{field("Relation", relation), field("Head", term(a.Head)), field("Tail", term(a.Tail))}
		if a.Negated {
			atom = append(atom, field("Negated", jen.True()))
		}
		atoms = append(atoms, jen.Values(atom...))
	}
	return []jen.Code{
		field("Variables", jen.Index().String().Values(variables...)),
		field("Atoms", jen.Index().Qual(scqPath, "Atom").Values(lines(atoms...)...)),
	}
}

// term prints a node of a query graph.
func term(t scq.Term) jen.Code {
	if t.Constant {
		return jen.Qual(scqPath, "Const").Call(jen.Lit(t.Index))
	}
	return jen.Qual(scqPath, "Var").Call(jen.Lit(t.Index))
}
