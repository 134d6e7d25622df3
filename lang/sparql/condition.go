package sparql

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/ast"
)

// condition translates the expression of a FILTER. Comparisons of an answer's confidence or status go into the
// request; they may be joined with others only by &.
func (p *parser) condition(e *orNode, sc *scope) (parts []ast.Formula) {
	if len(e.Args) == 1 {
		for _, u := range e.Args[0].Args {
			switch {
			case u.Group != nil:
				parts = append(parts, p.condition(u.Group, sc)...)
			case u.Compare != nil && p.judge(u.Compare):
			default:
				if u.Compare != nil {
					if f, is := p.compareValue(u.Compare); is {
						parts = append(parts, f)
						continue
					}
				}
				parts = append(parts, p.unary(u, sc))
			}
		}
		return parts
	}
	return []ast.Formula{p.either(e, sc)}
}

func (p *parser) either(e *orNode, sc *scope) ast.Formula {
	var choice []ast.Formula
	for _, a := range e.Args {
		var parts []ast.Formula
		for _, u := range a.Args {
			parts = append(parts, p.unary(u, sc))
		}
		choice = append(choice, and(parts, position(a.Pos)))
	}
	return or(choice, position(e.Pos))
}

func (p *parser) unary(u *unaryNode, sc *scope) ast.Formula {
	switch {
	case u.Not != nil:
		if f := p.unary(u.Not, sc); f != nil {
			return &ast.Not{Arg: f, Pos: position(u.Pos)}
		}
		return nil
	case u.Group != nil:
		return p.either(u.Group, sc)
	case u.Exists != nil:
		return p.exists(u.Exists, sc)
	}
	return p.compare(u.Compare, sc)
}

// compare translates a comparison of entities.
func (p *parser) compare(c *compareNode, sc *scope) ast.Formula {
	if name := cmp.Or(p.valueVariable(c.Left), p.valueVariable(c.Right)); name != "" {
		p.add(position(c.Pos), "write UNION in place of ||, and the opposite in place of !", "?%s stands for a value, which is not compared inside of || and !", name)
		return nil
	}
	left := p.operand(c.Left, sc)
	values := c.List
	differ := c.NotIn
	if c.Op != "" {
		values = []*termNode{c.Right}
		differ = c.Op == "!="
	}
	var parts []ast.Formula
	for _, n := range values {
		right := p.operand(n, sc)
		var part ast.Formula = &ast.Unequal{Left: left, Right: right, Pos: left.Pos}
		if !differ {
			part = &ast.Not{Arg: part, Pos: left.Pos}
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0:
		p.add(left.Pos, "", "the list is empty")
	case flipped[c.Op] != c.Op: // order comparisons
		p.add(left.Pos, "", "entities have no order: %s compares only values, and what is said about the answer, as in ?%s_confidence >= 0.5", c.Op, cmp.Or(p.free, "y"))
		return nil
	case differ:
		return and(parts, left.Pos)
	}
	return or(parts, left.Pos)
}

// operand translates an operand of a comparison, which must be bound.
func (p *parser) operand(n *termNode, sc *scope) ast.Term {
	if t := cmp.Or(n.Open, n.Token); n.Open != nil || t != nil && t.Type == blankToken {
		p.add(position(t.Pos), "give it the name of a variable", "a blank node cannot be compared")
	}
	if n.Token != nil && n.Token.Type == varToken {
		if key, of := p.about(variableName(n.Token.Value)); of != "" {
			what := map[Key]string{ByLabel: "labels are not compared", ByConfidence: "compare it with a number, as in ?y_confidence >= 0.5, outside of || and !",
				ByStatus: `compare it with a status, as in ?y_status = "known", outside of || and !`}[key]
			p.add(position(n.Token.Pos), what, "%s cannot stand here", n.Token.Value)
			return ast.Term{Kind: ast.Variable, Name: variableName(n.Token.Value), Pos: position(n.Token.Pos)}
		}
	}
	t, _ := p.term(n, newScope())
	if t.Kind == ast.Variable && !sc.bound[t.Name] {
		p.add(t.Pos, "give it a value by a triple of the same group", "?%s has no value in some solutions, so nothing can be compared with it", t.Name)
	}
	return t
}

// flipped maps each comparison operator to the one with exchanged sides.
var flipped = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}

// judge records a comparison of ?y_confidence or ?y_status, and reports whether it is one.
func (p *parser) judge(c *compareNode) bool {
	subject := c.Left
	op := c.Op
	values := c.List
	if op != "" {
		values = []*termNode{c.Right}
		if _, of := p.subject(subject); of == "" {
			subject = c.Right
			op = flipped[op]
			values = []*termNode{c.Left}
		}
	}
	key, of := p.subject(subject)
	if of == "" || p.frame != nil || key == ByLabel {
		return false
	}
	if p.free != "" && of != p.free && !slices.Contains(p.others, of) {
		return false
	}
	pos := position(subject.Token.Pos)
	if p.others != nil {
		p.add(pos, "leave the filter out", unjudged)
		return true
	}
	p.request.Judged = true
	if key == ByConfidence {
		x, err := p.number(values)
		switch {
		case err != nil || op != ">=" && op != ">":
			p.add(pos, "write "+subject.Token.Value+" >= 0.5", "confidence is compared by > or >= with a number")
		case op == ">":
			x = math.Nextafter(x, 2)
		}
		p.request.MinConfidence = max(p.request.MinConfidence, x)
		return true
	}
	var list []string
	for _, v := range values {
		if v.Literal == nil || !slices.Contains(statuses, unquote(v.Literal.Token.Value)) {
			p.add(pos, `write `+subject.Token.Value+` = "known"`, "a status is \"known\", \"predicted\", \"confirmed\" or \"undecided\"")
			return true
		}
		list = append(list, unquote(v.Literal.Token.Value))
	}
	without := op == "!=" || op == "" && c.NotIn
	switch {
	case op != "" && op != "=" && op != "!=":
		p.add(pos, "", "statuses have no order")
	case p.request.Statuses == nil:
		p.request.Statuses = slices.Clone(statuses)
	}
	p.request.Statuses = slices.DeleteFunc(p.request.Statuses, func(s string) bool { return slices.Contains(list, s) == without })
	if len(p.request.Statuses) == 0 {
		p.add(pos, "", "no status is left")
	}
	return true
}

// unjudged refuses conditions on confidence or status in a query with several answer variables.
const unjudged = "rows of several variables are not filtered by confidence or status"

// subject returns the key and the answer variable that a variable such as ?y_confidence refers to.
func (p *parser) subject(n *termNode) (Key, string) {
	if n.Token == nil || n.Token.Type != varToken {
		return ByIRI, ""
	}
	return p.about(variableName(n.Token.Value))
}

// number returns the value of the only operand, a number: 0.5, or "0.5"^^xsd:decimal as other stores write it.
func (p *parser) number(values []*termNode) (float64, error) {
	if len(values) != 1 {
		return 0, strconv.ErrSyntax
	}
	switch v := values[0]; {
	case v.Literal != nil && v.Literal.Type != nil && strings.HasPrefix(p.iri(v.Literal.Type), xsd):
		return strconv.ParseFloat(p.quoted(v.Literal.Token), 64)
	case v.Token != nil && v.Token.Type == numberToken:
		return strconv.ParseFloat(v.Token.Value, 64)
	}
	return 0, strconv.ErrSyntax
}
