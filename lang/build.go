package lang

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/kind"
)

// params converts parameters. A parameter without a kind takes the kind of the next one that has one.
func (p *parser) params(nodes []*paramNode) []Param {
	var params []Param
	keyword := ""
	for _, n := range slices.Backward(nodes) {
		keyword = cmp.Or(n.Kind, keyword)
		param := Param{Name: n.Name.Value, Kind: kind.Entity, Pos: position(n.Name.Pos)}
		if keyword == "" {
			p.add(param.Pos, fmt.Sprintf("write: %[1]s entity, or relation, number or date", param.Name),
				"parameter %s has no kind", param.Name)
		} else {
			param.Kind = kind.ParamNamed(keyword)
		}
		params = append(params, param)
	}
	slices.Reverse(params)
	return params
}

// formula converts a formula.
func (p *parser) formula(n *impliesNode) ast.Formula {
	f := p.disjunction(n.If)
	if n.Then == nil {
		return f
	}
	return &ast.Implies{If: f, Then: p.disjunction(n.Then), Pos: position(n.Pos)}
}

// disjunction converts a disjunction.
func (p *parser) disjunction(n *orNode) ast.Formula {
	return join[*ast.Or](n.Args, p.conjunction, func(args []ast.Formula) ast.Formula { return &ast.Or{Args: args, Pos: position(n.Pos)} })
}

// conjunction converts a conjunction.
func (p *parser) conjunction(n *andNode) ast.Formula {
	return join[*ast.And](n.Args, p.operand, func(args []ast.Formula) ast.Formula { return &ast.And{Args: args, Pos: position(n.Pos)} })
}

// join converts nodes and joins them with build, which makes a J, unless there is only one. It flattens nested
// Js.
func join[J ast.Formula, N any](nodes []N, convert func(N) ast.Formula, build func([]ast.Formula) ast.Formula) ast.Formula {
	var args []ast.Formula
	for _, n := range nodes {
		f := convert(n)
		if _, same := f.(J); same {
			args = append(args, ast.Parts(f)...)
		} else {
			args = append(args, f)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return build(args)
}

// operand converts an operand of &.
func (p *parser) operand(n *operandNode) ast.Formula {
	switch {
	case n.Not != nil:
		return &ast.Not{Arg: p.operand(n.Not), Pos: position(n.Pos)}
	case n.Exists != nil:
		var vars []ast.Term
		for _, v := range n.Exists.Vars {
			vars = append(vars, p.term(v.Token))
		}
		body := p.formula(n.Exists.Body)
		if n.Exists.Forall {
			return &ast.Forall{Vars: vars, Body: body, Pos: position(n.Pos)}
		}
		return &ast.Exists{Vars: vars, Body: body, Pos: position(n.Pos)}
	case n.Group != nil:
		return p.formula(n.Group.Body)
	case n.Choice != nil:
		return p.choice(n.Choice)
	}
	return p.atom(n.Atom)
}

// atom converts an atom, inequality, type filter or value filter.
func (p *parser) atom(n *atomNode) ast.Formula {
	pos := position(n.First.Pos)
	if n.Type != nil {
		return p.typeFilter(n.First, n.Type)
	}
	if n.Other != nil {
		return &ast.Unequal{Left: p.term(n.First), Right: p.term(n.Other.Token), Pos: pos}
	}
	if n.Compare != nil || n.Range != nil {
		return p.filter(n)
	}
	r := p.relation(n.First, n.Applied.Inverse)
	switch terms, pair := p.arguments(n.Applied); {
	case n.Applied.Bounds != nil:
		return p.path(&ast.Path{Relations: []ast.Relation{r}, Pos: pos}, n.Applied)
	case pair:
		return &ast.Atom{Relation: r, Head: terms[0], Tail: terms[1], Pos: pos}
	default:
		p.errs = append(p.errs, twoArguments(n.First.Value, len(terms), pos))
		return &ast.Atom{Relation: r, Pos: pos}
	}
}

// filter converts a value filter.
func (p *parser) filter(n *atomNode) ast.Formula {
	pos := position(n.First.Pos)
	f := &ast.Filter{Condition: ast.Condition{Attribute: p.name(n.First)}, Pos: pos}
	if r := n.Range; r != nil {
		_, f.Unknown = token.Operator(r.In.Value)
		ends := ast.Ranges[r.Dots.Value]
		f.Comparisons = []ast.Comparison{p.comparison(ends[0], r.Least.Token), p.comparison(ends[1], r.Most.Token)}
	} else {
		var operator string
		operator, f.Unknown = token.Operator(n.Compare.Operator.Value)
		f.Comparisons = []ast.Comparison{p.comparison(operator, n.Compare.Value.Token)}
	}
	terms, _ := p.arguments(n.Applied)
	if len(terms) != 1 || n.Applied.Inverse || n.Applied.Bounds != nil || n.First.Type == token.Param {
		p.add(pos, "a filter is written: population(x) > 1000000", "only the value of an attribute can be compared, and an attribute has one argument")
		return missing(pos)
	}
	f.Subject = terms[0]
	return f
}

// comparison converts a comparison with a value.
func (p *parser) comparison(operator string, t lexer.Token) ast.Comparison {
	c := ast.Comparison{Operator: operator, Value: t.Value, Quoted: t.Type == token.String, Param: t.Type == token.Param, Pos: position(t.Pos)}
	if c.Quoted || c.Param {
		c.Value = p.name(t)
	}
	return c
}

// relation converts the relation of an atom or a path.
func (p *parser) relation(t lexer.Token, inverse bool) ast.Relation {
	r := ast.Relation{Name: p.name(t), Param: t.Type == token.Param, Inverse: inverse, Pos: position(t.Pos)}
	r.Quoted = p.scope != nil && t.Type == token.String && ast.IsIdent(r.Name)
	return r
}

// arguments converts arguments, and reports whether there are exactly two.
func (p *parser) arguments(n *appliedNode) (terms []ast.Term, pair bool) {
	for _, a := range n.Args {
		terms = append(terms, p.term(a.Token))
	}
	return terms, len(terms) == 2
}

// twoArguments is the error for an atom without exactly two arguments.
func twoArguments(relation string, n int, pos ast.Pos) *Error {
	hint := "an atom is written: r(x, y)"
	if n == 1 {
		hint = "a property such as \"x is a film\" is a relation to a class: type(x, \"film\")"
	}
	return &Error{Pos: pos, Msg: fmt.Sprintf("relation %s takes two arguments, not %d", relation, n), Hint: hint}
}

// choice converts a path of several relations.
func (p *parser) choice(n *choiceNode) ast.Formula {
	f := &ast.Path{Pos: position(n.Pos)}
	for _, r := range n.Relations {
		f.Relations = append(f.Relations, p.relation(r.Name, r.Inverse))
	}
	if n.Applied.Inverse {
		p.add(position(n.Applied.Pos), "write it behind each relation: (r^-1|s^-1)(x, y)", "a choice of relations has no inverse")
	}
	return p.path(f, n.Applied)
}

// path adds the bounds and arguments to a path.
func (p *parser) path(f *ast.Path, n *appliedNode) ast.Formula {
	f.Least = 1
	f.Most = 1
	if n.Bounds != nil {
		var mistake, hint string
		f.Least, f.Most, mistake, hint = token.ReadBounds(n.Bounds.Value, limits.Atoms)
		if mistake != "" {
			p.add(position(n.Bounds.Pos), hint, "%s", mistake)
			f.Least = 1
			f.Most = 1
		}
	}
	terms, pair := p.arguments(n)
	if !pair {
		p.add(f.Pos, "a path is written: r{1,3}(x, y)", "a path takes two arguments, not %d", len(terms))
		terms = []ast.Term{{Pos: f.Pos}, {Pos: f.Pos}}
	}
	f.Head = terms[0]
	f.Tail = terms[1]
	return f
}

// termKinds are the kinds of arguments by their tokens.
var termKinds = map[lexer.TokenType]ast.TermKind{token.Ident: ast.Variable, token.String: ast.Constant, token.Param: ast.Parameter}

// term converts an argument.
func (p *parser) term(t lexer.Token) ast.Term {
	return ast.Term{Kind: termKinds[t.Type], Name: p.name(t), Pos: position(t.Pos)}
}

// name returns the name that an identifier, $parameter or quoted name denotes.
func (p *parser) name(t lexer.Token) string {
	name, bad := token.Name(t)
	switch {
	case bad >= 0:
		p.add(p.src.Pos(t.Pos.Offset+bad), `escapes are those of Go: \n, \t, \\, \", \u00e9, \xff, …; a name in backquotes has none`,
			"unknown escape in the quoted name %s", t.Value)
	case name == "" && t.Type == token.String:
		p.add(position(t.Pos), "", "a quoted name cannot be empty")
	}
	return name
}
