package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// params converts parameters, giving those without kind that of the next one
// that has it.
func (p *parser) params(nodes []*paramNode) []Param {
	var params []Param
	kind := ""
	for _, n := range slices.Backward(nodes) {
		kind = cmp.Or(n.Kind, kind)
		param := Param{Name: n.Name.Value, Pos: position(n.Name.Pos)}
		switch kind {
		case "relation":
			param.Kind = RelationKind
		case "":
			p.add(param.Pos, fmt.Sprintf("write: %[1]s entity, or: %[1]s relation", param.Name),
				"parameter %s has no kind", param.Name)
		}
		params = append(params, param)
	}
	slices.Reverse(params)
	return params
}

// formula converts a disjunction.
func (p *parser) formula(n *orNode) Formula {
	return join[*Or](n.Args, p.conjunction, func(args []Formula) Formula { return &Or{args, position(n.Pos)} })
}

// conjunction converts a conjunction.
func (p *parser) conjunction(n *andNode) Formula {
	return join[*And](n.Args, p.operand, func(args []Formula) Formula { return &And{args, position(n.Pos)} })
}

// join converts nodes and joins them by build, which makes a J, unless there is only
// one. A J among them is joined as its parts.
func join[J Formula, N any](nodes []N, convert func(N) Formula, build func([]Formula) Formula) Formula {
	var args []Formula
	for _, n := range nodes {
		f := convert(n)
		if _, same := f.(J); same {
			args = append(args, parts(f)...)
		} else {
			args = append(args, f)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return build(args)
}

// operand converts what & joins.
func (p *parser) operand(n *operandNode) Formula {
	switch {
	case n.Not != nil:
		return &Not{Arg: p.operand(n.Not), Pos: position(n.Pos)}
	case n.Exists != nil:
		var vars []Term
		for _, v := range n.Exists.Vars {
			vars = append(vars, p.term(v.Token))
		}
		return &Exists{Vars: vars, Body: p.formula(n.Exists.Body), Pos: position(n.Pos)}
	case n.Group != nil:
		return p.formula(n.Group.Body)
	}
	return p.atom(n.Atom)
}

// atom converts an atom, an inequality or a type.
func (p *parser) atom(n *atomNode) Formula {
	pos := position(n.First.Pos)
	if n.Type != nil {
		return &filterNode{p.typeFilter(n.First, n.Type)}
	}
	if n.Other != nil {
		return &Unequal{Left: p.term(n.First), Right: p.term(n.Other.Token), Pos: pos}
	}
	atom := &Atom{
		Relation: Relation{Name: p.name(n.First), Param: n.First.Type == paramToken, Inverse: n.Inverse, Pos: pos},
		Pos:      pos,
	}
	var terms []Term
	for _, a := range n.Args {
		terms = append(terms, p.term(a.Token))
	}
	if len(terms) == 2 {
		atom.Head, atom.Tail = terms[0], terms[1]
		return atom
	}
	hint := "an atom is written: r(x, y)"
	if len(terms) == 1 {
		hint = "a property such as \"x is a film\" is a relation to a class: type(x, \"film\")"
	}
	p.add(pos, hint, "relation %s takes two arguments, not %d", n.First.Value, len(terms))
	return atom
}

// termKinds are the kinds of arguments by their tokens.
var termKinds = map[lexer.TokenType]TermKind{identToken: Variable, stringToken: Constant, paramToken: Parameter}

// term converts an argument.
func (p *parser) term(t lexer.Token) Term {
	return Term{Kind: termKinds[t.Type], Name: p.name(t), Pos: position(t.Pos)}
}

// name returns the name that an identifier, a $parameter or a quoted name
// stands for.
func (p *parser) name(t lexer.Token) string {
	switch t.Type {
	case paramToken:
		return t.Value[1:]
	case stringToken:
		return p.unquote(t)
	}
	return t.Value
}

// unquote returns the name that a quoted name stands for. Between double and
// between single quotes, the escapes are those of Go's strings, and either
// quote may be escaped; between backquotes there are none.
func (p *parser) unquote(t lexer.Token) string {
	quote, rest := t.Value[0], t.Value[1:len(t.Value)-1]
	if rest == "" {
		p.add(position(t.Pos), "", "a quoted name cannot be empty")
		return ""
	}
	if quote == '`' {
		return rest
	}
	var b strings.Builder
	for rest != "" {
		if strings.HasPrefix(rest, `\"`) || strings.HasPrefix(rest, `\'`) {
			b.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			offset := t.Pos.Offset + len(t.Value) - 1 - len(rest)
			p.add(p.src.pos(offset), `escapes are those of Go: \n, \t, \\, \", \u00e9, \xff, …; a name in backquotes has none`,
				"unknown escape in the quoted name %s", t.Value)
			return t.Value
		}
		if r < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
		rest = tail
	}
	return b.String()
}
