package lang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// params converts parameters, giving those without kind that of the next one
// that has it.
func (p *parser) params(nodes []*paramNode) []Param {
	params := make([]Param, len(nodes))
	var kind string
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if n.Kind != "" {
			kind = n.Kind
		}
		params[i] = Param{Name: n.Name.Text, Pos: position(n.Name.Pos)}
		switch kind {
		case "relation":
			params[i].Kind = RelationKind
		case "":
			p.add(params[i].Pos, fmt.Sprintf("write: %[1]s entity, or: %[1]s relation", params[i].Name),
				"parameter %s has no kind", params[i].Name)
		}
	}
	if len(params) == 0 {
		return nil
	}
	return params
}

// formula converts a disjunction.
func (p *parser) formula(n *orNode) Formula {
	var args []Formula
	for _, a := range n.Args {
		f := p.conjunction(a)
		if or, ok := f.(*Or); ok {
			args = append(args, or.Args...)
		} else {
			args = append(args, f)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return &Or{Args: args, Pos: position(n.Pos)}
}

// conjunction converts a conjunction.
func (p *parser) conjunction(n *andNode) Formula {
	var args []Formula
	for _, a := range n.Args {
		f := p.operand(a)
		if and, ok := f.(*And); ok {
			args = append(args, and.Args...)
		} else {
			args = append(args, f)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return &And{Args: args, Pos: position(n.Pos)}
}

// operand converts what & joins.
func (p *parser) operand(n *operandNode) Formula {
	switch {
	case n.Not != nil:
		return &Not{Arg: p.operand(n.Not), Pos: position(n.Pos)}
	case n.Exists != nil:
		var vars []Term
		for _, v := range append(n.Exists.Vars, n.Exists.More...) {
			vars = append(vars, Term{Kind: Variable, Name: v.Text, Pos: position(v.Pos)})
		}
		return &Exists{Vars: vars, Body: p.formula(n.Exists.Body), Pos: position(n.Pos)}
	case n.Group != nil:
		return p.formula(n.Group.Body)
	}
	return p.atom(n.Atom)
}

// atom converts an atom.
func (p *parser) atom(n *atomNode) Formula {
	atom := &Atom{
		Relation: Relation{
			Name:    p.name(n.Relation),
			Param:   n.Relation.Type == paramToken,
			Inverse: n.Inverse,
			Pos:     position(n.Relation.Pos),
		},
		Pos: position(n.Relation.Pos),
	}
	var terms []Term
	for _, a := range append([]*argNode{n.First}, n.More...) {
		terms = append(terms, p.term(a.Token))
	}
	if len(terms) != 2 {
		hint := "an atom is written: r(x, y)"
		if len(terms) == 1 {
			hint = "a property such as \"x is a film\" is a relation to a class: type(x, \"film\")"
		}
		p.add(atom.Pos, hint, "relation %s takes two arguments, not %d", n.Relation.Value, len(terms))
		return atom
	}
	atom.Head, atom.Tail = terms[0], terms[1]
	return atom
}

// term converts an argument.
func (p *parser) term(t lexer.Token) Term {
	term := Term{Kind: Variable, Name: p.name(t), Pos: position(t.Pos)}
	switch t.Type {
	case stringToken:
		term.Kind = Constant
	case paramToken:
		term.Kind = Parameter
	}
	return term
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
