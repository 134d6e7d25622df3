package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
)

// describe fills the request of a DESCRIBE.
func (p *parser) describe(d *describeNode) {
	p.request.Facts = &Facts{Describe: true}
	var entities []ast.Formula
	for i := range d.Names {
		t := &d.Names[i]
		if t.Type == varToken || t.Type == opToken || d.Where != nil {
			p.add(position(t.Pos), "name the entities, as in DESCRIBE :Brazil :Peru, or "+elsewhere, "DESCRIBE of a pattern is outside the part of SPARQL that is answered here")
			return
		}
		entity := ast.Term{Kind: ast.Constant, Name: p.iri(t), Pos: position(t.Pos)}
		entities = append(entities, anyFact(entity, ast.Term{Kind: ast.Variable, Name: "object"}))
	}
	p.query.Formula = or(entities, position(d.Pos))
}

// anyFact returns an atom without a relation.
func anyFact(head, tail ast.Term) ast.Formula {
	return &ast.Atom{Relation: ast.Relation{Param: true}, Head: head, Tail: tail, Pos: head.Pos}
}

// browse fills the request of a SELECT of the facts of an entity, and reports whether it is one: SELECT ?p ?o { :Brazil ?p ?o }
// or SELECT ?s ?p { ?s ?p :Brazil }.
func (p *parser) browse(s *selectNode) bool {
	triple := browsed(s.Where)
	if triple == nil || s.Count != nil {
		return false
	}
	relation := variableName(triple.Properties[0].Var.Value)
	sc := newScope()
	subject, _ := p.term(triple.Subject, sc)
	sc.bind(ast.Term{Kind: ast.Variable, Name: relation})
	object, _ := p.term(triple.Properties[0].Objects[0], sc)
	if s.All != nil {
		p.star(s, sc)
	}
	selected := append([]string{p.free}, p.others...)
	if len(sc.order) != 2 || len(selected) != 2 || !slices.Contains(selected, sc.order[0]) || !slices.Contains(selected, sc.order[1]) {
		return false
	}

	if len(s.Order) > 0 {
		p.add(position(s.Order[0].Pos), "leave ORDER BY out", "the facts of an entity come in their own order")
	}
	p.request.Facts = &Facts{Relation: relation, Inverse: subject.Kind == ast.Variable}
	p.query.Free = p.free
	p.query.Others = []ast.Term{{Kind: ast.Variable, Name: p.others[0]}}
	p.query.Formula = anyFact(subject, object)
	return true
}

// browsed returns the only triple of a group if it has a variable as its relation, an entity and another variable;
// otherwise nil.
func browsed(g *groupNode) *tripleNode {
	if len(g.Elements) != 1 || g.Elements[0].Triple == nil {
		return nil
	}
	triple := g.Elements[0].Triple
	list := triple.Properties
	if len(list) != 1 || list[0].Var == nil || len(list[0].Objects) != 1 || isVariable(triple.Subject) == isVariable(list[0].Objects[0]) {
		return nil
	}
	return triple
}

// isVariable reports whether a term is a variable or a blank node.
func isVariable(n *termNode) bool {
	return n.Open != nil || n.Token != nil && (n.Token.Type == varToken || n.Token.Type == blankToken)
}
