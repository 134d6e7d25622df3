package lang

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWidth is the length beyond which a template's formula is broken into
// lines.
const maxWidth = 100

// String prints the query in canonical form, without its doc comment: a template as ParseFile
// reads it, an ad-hoc question as ParseFormula does. A query with parameters but no name, such
// as a benchmark shape, is printed as a template named _.
func (q *Query) String() string {
	if q.Name == "" && len(q.Params) == 0 {
		var p printer
		switch {
		case len(q.Others) > 0:
			return strings.Join(names(q.Variables()), ", ") + ": " + formulaString(q.Formula)
		case q.TypeFilter == nil:
			return formulaString(q.Formula)
		}
		p.WriteString(q.Free + ": " + q.TypeFilter.String() + " & ")
		p.formula(q.Formula, precAnd, true)
		return p.String()
	}
	return joined(q.lines(false), "\n")
}

// lines prints a template: its head, and its formula below.
func (q *Query) lines(broken bool) []line {
	name := cmp.Or(q.Name, "_")
	if len(q.Params) > 0 {
		params := make([]string, len(q.Params))
		for i, p := range q.Params {
			params[i] = p.Name
			if i == len(params)-1 || p.Kind != q.Params[i+1].Kind {
				params[i] += " " + p.Kind.String()
			}
		}
		name += "(" + strings.Join(params, ", ") + ")"
	}
	if q.Count {
		name += " count"
	}
	head := line{text: strings.TrimSuffix("query "+name+" "+strings.Join(names(q.Variables()), ", "), " ")}
	if q.TypeFilter != nil {
		head.text += ": " + q.TypeFilter.String()
	}
	if len(q.Show) > 0 {
		head.text += " show " + strings.Join(names(q.Show), ", ")
	}
	head.text += " ="
	return append([]line{head}, formulaLines(q.Formula, "    ", broken)...)
}

// formulaLines prints a formula. One that is too long for a line, or that is to be
// broken, has its quantifier and its operands on lines of their own.
func formulaLines(f Formula, indent string, broken bool) []line {
	whole := line{indent: indent, text: formulaString(f), at: f.Position().Offset}
	if !broken && len(indent)+utf8.RuneCountInString(whole.text) <= maxWidth {
		return []line{whole}
	}
	prec := precAnd
	sep := " &"
	switch f := f.(type) {
	case *Exists:
		whole.text = quantifier("exists", f.Vars)
		return append([]line{whole}, formulaLines(f.Body, indent+"    ", broken)...)
	case *Forall:
		whole.text = quantifier("forall", f.Vars)
		return append([]line{whole}, formulaLines(f.Body, indent+"    ", broken)...)
	case *And:
	case *Or:
		prec = precOr
		sep = " |"
	case *Implies:
		prec = precOr
		sep = " ->"
	default:
		return []line{whole}
	}
	var lines []line
	args := parts(f)
	for i, a := range args {
		var p printer
		p.formula(a, prec, i == len(args)-1)
		if i < len(args)-1 {
			p.WriteString(sep)
		}
		lines = append(lines, line{indent: indent, text: p.String(), at: a.Position().Offset})
	}
	return lines
}

// The precedences of formulas, and of the places where a formula stands: parentheses follow from comparing
// the two.
const (
	precImplies = iota
	precOr
	precAnd
	precUnary
)

// formulaString prints a formula on one line.
func formulaString(f Formula) string {
	var p printer
	p.formula(f, precImplies, true)
	return p.String()
}

// printer prints formulas with as few parentheses as possible, and notes how deep
// parentheses, negations and quantifiers nest.
type printer struct {
	strings.Builder
	depth, deepest int
}

// formula prints f at a place of the given precedence. A quantifier reaches as far as
// it can, so it needs parentheses unless it comes last.
func (p *printer) formula(f Formula, prec int, last bool) {
	switch f := f.(type) {
	case *And:
		p.junction(f.Args, precAnd, " & ", prec, last)
	case *Or:
		p.junction(f.Args, precOr, " | ", prec, last)
	case *Not:
		p.nested("!", "", func() { p.formula(f.Arg, precUnary, last) })
	case *Implies:
		p.parens(prec > precImplies, func() {
			p.formula(f.If, precOr, false)
			p.WriteString(" -> ")
			p.formula(f.Then, precOr, last || prec > precImplies)
		})
	case *Exists:
		p.quantified(quantifier("exists", f.Vars), f.Body, last)
	case *Forall:
		p.quantified(quantifier("forall", f.Vars), f.Body, last)
	case fmt.Stringer: // *Atom, *Path, *Call and *Unequal
		p.WriteString(f.String())
	}
}

// quantified prints a quantifier with its body.
func (p *printer) quantified(quantifier string, body Formula, last bool) {
	p.parens(!last, func() {
		p.nested(quantifier+" ", "", func() { p.formula(body, precImplies, true) })
	})
}

// junction prints a conjunction or disjunction of precedence own.
func (p *printer) junction(args []Formula, own int, sep string, prec int, last bool) {
	if len(args) == 1 {
		p.formula(args[0], prec, last)
		return
	}
	p.parens(prec > own, func() {
		last = last || prec > own
		for i, a := range args {
			if i > 0 {
				p.WriteString(sep)
			}
			p.formula(a, own, last && i == len(args)-1)
		}
	})
}

// parens prints a body, in parentheses where they are needed.
func (p *printer) parens(needed bool, body func()) {
	if needed {
		p.nested("(", ")", body)
	} else {
		body()
	}
}

// nested prints a body one level deeper.
func (p *printer) nested(before, after string, body func()) {
	p.depth++
	p.deepest = max(p.deepest, p.depth)
	p.WriteString(before)
	body()
	p.WriteString(after)
	p.depth--
}

// quantifier prints a quantifier without its body.
func quantifier(word string, vars []Term) string {
	return word + " " + strings.Join(names(vars), ", ") + "."
}

// String prints the atom.
func (f *Atom) String() string {
	return f.Relation.String() + "(" + f.Head.String() + ", " + f.Tail.String() + ")"
}

// String prints the path.
func (f *Path) String() string {
	text := f.Relations[0].String()
	if len(f.Relations) > 1 {
		text = "(" + joined(f.Relations, "|") + ")"
	}
	switch {
	case f.Least != f.Most:
		text += fmt.Sprintf("{%d,%d}", f.Least, f.Most)
	case f.Most != 1 || len(f.Relations) == 1:
		text += fmt.Sprintf("{%d}", f.Most)
	}
	return text + "(" + f.Head.String() + ", " + f.Tail.String() + ")"
}

// String prints the call.
func (f *Call) String() string { return f.Name + "(" + joined(f.Args, ", ") + ")" }

// String prints the inequality.
func (f *Unequal) String() string { return f.Left.String() + " != " + f.Right.String() }

// String prints the relation, quoted unless its name is an identifier and was not.
func (r Relation) String() string {
	s := r.Name
	switch {
	case r.Param:
		s = "$" + s
	case r.Quoted || !IsIdent(s):
		s = strconv.Quote(s)
	}
	if r.Inverse {
		s += "^-1"
	}
	return s
}

// String prints the term.
func (t Term) String() string {
	switch t.Kind {
	case Constant:
		return strconv.Quote(t.Name)
	case Parameter:
		return "$" + t.Name
	}
	return t.Name
}

// String prints the literal.
func (l Literal) String() string {
	switch {
	case l.Same && l.Negated:
		return l.Head.String() + " != " + l.Tail.String()
	case l.Same:
		return l.Head.String() + " = " + l.Tail.String()
	}
	s := (&Atom{Relation: l.Relation, Head: l.Head, Tail: l.Tail}).String()
	if l.Negated {
		return "!" + s
	}
	return s
}

// String prints the literals, joined by &.
func (s SCQ) String() string { return joined(s.Literals, " & ") }

// String prints the disjuncts, one per line.
func (d *DNF) String() string { return joined(d.SCQs, "\n") }

// joined prints parts with a separator between them.
func joined[T fmt.Stringer](parts []T, sep string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.String()
	}
	return strings.Join(out, sep)
}
