package lang

import "github.com/efoc/efoc/lang/ast"

// factsHint says how facts are written.
const factsHint = `write facts as borders("Brazil", "Peru"), values as population("Rome") = 2800000, and several with & between them`

// ParseFacts parses a conjunction of facts, such as borders("Brazil", "Peru") & population("Rome") = 2800000; a fact
// after ! is negated. Positions in the text, which are in the error too, have its name. The error is an ErrorList;
// q.Errorf makes further errors about the facts.
func ParseFacts(name, text string) (q *Query, facts []ast.Fact, err error) {
	p := newParser(name, text)
	q = p.sole()
	if q == nil {
		return nil, nil, p.err()
	}
	parts := []ast.Formula{q.Formula}
	if and, ok := q.Formula.(*ast.And); ok {
		parts = and.Args
	}
	for _, f := range parts {
		fact := p.fact(f)
		fact.Text = ast.Text(f)
		facts = append(facts, fact)
	}
	return q, facts, p.err()
}

// fact returns the fact stated by an atom or by a comparison with a value.
func (p *parser) fact(f ast.Formula) (fact ast.Fact) {
	switch f := f.(type) {
	case *ast.Not:
		fact = p.fact(f.Arg)
		fact.Negated = !fact.Negated
		return fact
	case *ast.Atom:
		relation := f.Relation.Name
		if f.Relation.Inverse {
			relation += "^-1"
		}
		p.named(f.Head, f.Tail)
		return ast.Fact{
			Names: [3]string{f.Head.Name, relation, f.Tail.Name}, Pos: f.Pos,
			At: [3]ast.Pos{f.Head.Pos, f.Relation.Pos, f.Tail.Pos},
		}
	case *ast.Filter:
		by := f.Comparisons[0]
		if by.Operator != "=" || f.Unknown || by.Param {
			break
		}
		p.named(f.Subject)
		return ast.Fact{
			Names: [3]string{f.Subject.Name, f.Attribute, by.Value}, Value: true, Quoted: by.Quoted, Pos: f.Pos,
			At: [3]ast.Pos{f.Subject.Pos, f.Pos, by.Pos},
		}
	}
	p.add(f.Position(), factsHint, "this states no fact")
	return fact
}

// named reports terms that are not entity names.
func (p *parser) named(terms ...ast.Term) {
	for _, t := range terms {
		if t.Kind != ast.Constant {
			p.add(t.Pos, factsHint, "%s names no entity: entities are quoted", t.Name)
		}
	}
}
