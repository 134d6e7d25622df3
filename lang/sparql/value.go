package sparql

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
)

// A variable for a value of an attribute has one triple. Bind merges the triple and all comparisons of the variable into
// a filter: one value must meet them all. Until then, a comparison by order is an ast.Compared.

// ordered returns the names of variables that are compared by order and are not such as ?y_confidence.
func (p *parser) ordered(tokens []lexer.Token) map[string]bool {
	found := map[string]bool{}
	for i, t := range tokens {
		if t.Type != opToken || strings.Trim(t.Value, "<>=") != "" || t.Value == "=" || i == 0 {
			continue
		}
		for _, side := range []lexer.Token{tokens[i-1], tokens[i+1]} {
			if side.Type != varToken {
				continue
			}
			if _, of := p.about(variableName(side.Value)); of == "" {
				found[variableName(side.Value)] = true
			}
		}
	}
	return found
}

// valueVariable returns the name of a variable for a value; empty for other terms.
func (p *parser) valueVariable(n *termNode) string {
	if n == nil || n.Token == nil || n.Token.Type != varToken || !p.values[variableName(n.Token.Value)] {
		return ""
	}
	return variableName(n.Token.Value)
}

// value translates a triple whose object is a variable for a value.
func (p *parser) value(subject ast.Term, path *pathNode, n *termNode) ast.Formula {
	value, _ := p.term(n, newScope())
	step := path.Args[0].Args[0]
	if len(path.Args)+len(path.Args[0].Args) > 2 || step.IRI == nil || step.Inverse || step.Not != nil || step.Repeat != nil {
		p.add(value.Pos, "name the attribute", "?%s is compared as a value, to which no path leads", value.Name)
		return nil
	}
	if value.Name == variableName(n.Token.Value) && !ast.HasName(p.valued, value.Name) {
		p.valued = append(p.valued, value)
	}
	relation := ast.Relation{Name: p.iri(step.IRI), Pos: position(step.IRI.Pos)}
	return &ast.Atom{Relation: relation, Head: subject, Tail: value, Pos: subject.Pos}
}

// compareValue translates a comparison of a variable for a value; is reports whether it is one.
func (p *parser) compareValue(c *compareNode) (f ast.Formula, is bool) {
	variable := c.Left
	operand := c.Right
	op := c.Op
	if p.valueVariable(variable) == "" {
		variable = c.Right
		operand = c.Left
		op = flipped[op]
	}
	if op == "" || p.valueVariable(variable) == "" {
		return nil, false
	}
	value, _ := p.term(variable, newScope())
	other, _ := p.term(operand, newScope())
	by, ok := comparison(op, other)
	if !ok {
		p.add(value.Pos, valueHint, "?%s is compared as a value: with a number or a date only", value.Name)
		return nil, true
	}
	return &ast.Compared{Variable: value, Comparison: by}, true
}
