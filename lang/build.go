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

// params converts parameters. One without a kind gets the kind of the next one that has a kind.
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

// formula converts a formula.
func (p *parser) formula(n *impliesNode) Formula {
	f := p.disjunction(n.If)
	if n.Then == nil {
		return f
	}
	return &Implies{If: f, Then: p.disjunction(n.Then), Pos: position(n.Pos)}
}

// disjunction converts a disjunction.
func (p *parser) disjunction(n *orNode) Formula {
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
		body := p.formula(n.Exists.Body)
		if n.Exists.Forall {
			return &Forall{Vars: vars, Body: body, Pos: position(n.Pos)}
		}
		return &Exists{Vars: vars, Body: body, Pos: position(n.Pos)}
	case n.Group != nil:
		return p.formula(n.Group.Body)
	case n.Choice != nil:
		return p.choice(n.Choice)
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
	r := p.relation(n.First, n.Applied.Inverse)
	switch terms, pair := p.arguments(n.Applied); {
	case n.Applied.Bounds != nil:
		return p.path(&Path{Relations: []Relation{r}, Pos: pos}, n.Applied)
	case pair:
		return &Atom{Relation: r, Head: terms[0], Tail: terms[1], Pos: pos}
	case p.scope != nil && n.First.Type == identToken && !r.Inverse:
		return &Call{Name: r.Name, Args: terms, Pos: pos}
	default:
		p.errs = append(p.errs, twoArguments(n.First.Value, len(terms), pos))
		return &Atom{Relation: r, Pos: pos}
	}
}

// relation converts the relation of an atom or a path.
func (p *parser) relation(t lexer.Token, inverse bool) Relation {
	r := Relation{Name: p.name(t), Param: t.Type == paramToken, Inverse: inverse, Pos: position(t.Pos)}
	r.Quoted = p.scope != nil && t.Type == stringToken && IsIdent(r.Name)
	return r
}

// arguments converts arguments, and reports whether there are two.
func (p *parser) arguments(n *appliedNode) (terms []Term, pair bool) {
	for _, a := range n.Args {
		terms = append(terms, p.term(a.Token))
	}
	return terms, len(terms) == 2
}

// twoArguments is the mistake of an atom with another number of arguments.
func twoArguments(relation string, n int, pos Pos) *Error {
	hint := "an atom is written: r(x, y)"
	if n == 1 {
		hint = "a property such as \"x is a film\" is a relation to a class: type(x, \"film\")"
	}
	return &Error{Pos: pos, Msg: fmt.Sprintf("relation %s takes two arguments, not %d", relation, n), Hint: hint}
}

// choice converts a path of several relations.
func (p *parser) choice(n *choiceNode) Formula {
	f := &Path{Pos: position(n.Pos)}
	for _, r := range n.Relations {
		f.Relations = append(f.Relations, p.relation(r.Name, r.Inverse))
	}
	if n.Applied.Inverse {
		p.add(position(n.Applied.Pos), "write it behind each relation: (r^-1|s^-1)(x, y)", "a choice of relations has no inverse")
	}
	return p.path(f, n.Applied)
}

// path completes a path by its bounds and arguments.
func (p *parser) path(f *Path, n *appliedNode) Formula {
	f.Least = 1
	f.Most = 1
	if n.Bounds != nil {
		var mistake *Error
		f.Least, f.Most, mistake = Bounds(n.Bounds.Value, position(n.Bounds.Pos))
		if mistake != nil {
			p.errs = append(p.errs, mistake)
			f.Least = 1
			f.Most = 1
		}
	}
	terms, pair := p.arguments(n)
	if !pair {
		p.add(f.Pos, "a path is written: r{1,3}(x, y)", "a path takes two arguments, not %d", len(terms))
		terms = []Term{{Pos: f.Pos}, {Pos: f.Pos}}
	}
	f.Head = terms[0]
	f.Tail = terms[1]
	return f
}

// Bounds reads how many steps a path has: {2} or {1,3}.
func Bounds(text string, pos Pos) (least, most int, mistake *Error) {
	first, last, several := strings.Cut(strings.Trim(text, "{}"), ",")
	if !several {
		last = first
	}
	first = strings.TrimSpace(first)
	last = strings.TrimSpace(last)
	least, err := strconv.Atoi(first)
	most, over := strconv.Atoi(last)
	switch {
	case err != nil || over != nil || most > MaxAtoms && least <= most:
		return 0, 0, &Error{Pos: pos, Msg: fmt.Sprintf("a path of %s steps is over the limit of %d atoms", Clip(last, maxClip), MaxAtoms)}
	case most < least:
		return 0, 0, &Error{Pos: pos, Msg: fmt.Sprintf("no path has at least %d and at most %d steps", least, most), Hint: "the smaller number comes first: r{1,3}"}
	case most == 0:
		return 0, 0, &Error{Pos: pos, Msg: "a path without steps leads nowhere", Hint: "a path has a step or more: r{1,3}"}
	}
	return least, most, nil
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

// unquote returns the name that a quoted name stands for. Between double and between single quotes, the
// escapes are the ones of Go strings, and either quote may be escaped; between backquotes there are none.
func (p *parser) unquote(t lexer.Token) string {
	quote := t.Value[0]
	rest := t.Value[1 : len(t.Value)-1]
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
