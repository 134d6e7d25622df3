package sparql

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
)

// A variable that a FILTER compares by order stands for a value of an attribute. Its one triple is no atom: with
// the comparison, it is a filter of its subject.

// valueOf is what a variable for a value stands for.
type valueOf struct {
	subject   ast.Term
	attribute string
}

// ordered returns the names of variables that are compared by order and say nothing about an
// answer.
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

// valueVariable returns the name of the variable that a term is, if that stands for a value.
func (p *parser) valueVariable(n *termNode) string {
	if n == nil || n.Token == nil || n.Token.Type != varToken || !p.values[variableName(n.Token.Value)] {
		return ""
	}
	return variableName(n.Token.Value)
}

// value notes what a variable for a value stands for.
func (p *parser) value(name string, subject ast.Term, path *pathNode, pos ast.Pos, sc *scope) {
	step := path.Args[0].Args[0]
	if len(path.Args)+len(path.Args[0].Args) > 2 || step.IRI == nil || step.Inverse || step.Not != nil || step.Repeat != nil {
		p.add(pos, "name the attribute", "?%s is compared as a value, to which no path leads", name)
		return
	}
	if _, twice := sc.values[name]; twice {
		p.add(pos, "give one of them another variable", "?%s is compared as a value, and stands in two triples", name)
		return
	}
	sc.values[name] = valueOf{subject, p.iri(step.IRI)}
}

// filtered translates the comparison of a variable for a value, and reports whether it is one.
func (p *parser) filtered(c *compareNode, sc *scope) (f ast.Formula, is bool) {
	if c.Op == "" {
		return nil, false
	}
	name := p.valueVariable(c.Left)
	operand := c.Right
	op := c.Op
	if name == "" {
		name = p.valueVariable(c.Right)
		operand = c.Left
		op = flipped[op]
	}
	if name == "" {
		return nil, false
	}
	pos := position(otherToken(c, operand).Pos)
	of, bound := sc.values[name]
	by := ast.Comparison{Operator: op, Pos: pos}
	switch {
	case !bound:
		p.add(pos, "put the FILTER beside the triple that has it", "?%s has no value in this group", name)
		return nil, true
	case operand.Literal != nil:
		by.Value = p.quoted(operand.Literal.Token)
		by.Quoted = true
		if t := operand.Literal.Type; t != nil {
			by.Quoted = strings.HasPrefix(strings.TrimPrefix(p.iri(t), xsd), "date") || strings.HasPrefix(p.iri(t), xsd+"g")
		}
	case operand.Token != nil && operand.Token.Type == numberToken:
		by.Value = operand.Token.Value
	default:
		p.add(pos, `write FILTER(?p > 1000000) or FILTER(?d >= "1950-01-31"^^xsd:date)`, "?%s is compared as a value: with a number or a date only", name)
		return nil, true
	}
	filter := ast.Filter{Attribute: of.attribute, Comparisons: []ast.Comparison{by}}
	return &ast.Unequal{Left: of.subject, Right: filter.Term(pos), Pos: of.subject.Pos}, true
}

// otherToken returns the token of the variable that is compared with an operand.
func otherToken(c *compareNode, operand *termNode) *lexer.Token {
	if operand == c.Left {
		return c.Right.Token
	}
	return c.Left.Token
}
