package ast

import (
	"fmt"
	"strings"
)

// Precedences of formulas and of their contexts: a formula of lower precedence than its context gets
// parentheses.
const (
	precImplies = iota
	precOr
	precAnd
	precUnary
)

// Text prints a formula on one line.
func Text(f Formula) string {
	var p printer
	p.formula(f, precImplies, true)
	return p.String()
}

// Depth returns how deep parentheses, negations and quantifiers nest in the output of Text.
func Depth(f Formula) int {
	var p printer
	p.formula(f, precImplies, true)
	return p.deepest
}

// Lines prints the operands of a conjunction, disjunction or implication, one per line, each followed by the
// sign that joins it to the next. For a quantified formula it prints only the quantifier and returns the body.
// For other formulas it returns no lines.
func Lines(f Formula) (lines []string, body Formula) {
	prec := precOr
	sign := ""
	switch f := f.(type) {
	case *Exists:
		return []string{quantifier("exists", f.Vars)}, f.Body
	case *Forall:
		return []string{quantifier("forall", f.Vars)}, f.Body
	case *And:
		prec = precAnd
		sign = " &"
	case *Or:
		sign = " |"
	case *Implies:
		sign = " ->"
	default:
		return nil, nil
	}

	args := Parts(f)
	for i, a := range args {
		last := i == len(args)-1
		var p printer
		p.formula(a, prec, last)
		if !last {
			p.WriteString(sign)
		}
		lines = append(lines, p.String())
	}
	return lines, nil
}

// printer prints formulas with as few parentheses as possible, and records how deep parentheses, negations and
// quantifiers nest.
type printer struct {
	strings.Builder
	depth, deepest int
}

// formula prints f in a context of the given precedence. A quantifier's scope extends as far right as possible,
// so it needs parentheses unless it comes last.
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
	case *TypeFilter:
		p.WriteString(f.Variable.Name + ": " + f.String())
	case fmt.Stringer: // *Atom, *Path, *Unequal and *Filter
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

// parens prints a body, in parentheses if needed.
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
	return word + " " + strings.Join(Names(vars), ", ") + "."
}

// String prints the atom.
func (f *Atom) String() string { return f.Relation.Applied(f.Head.String(), f.Tail.String()) }

// String prints the path.
func (f *Path) String() string {
	text := f.Relations[0].applied()
	if len(f.Relations) > 1 {
		text = "(" + Joined(f.Relations, "|") + ")"
	}
	switch {
	case f.Least != f.Most:
		text += fmt.Sprintf("{%d,%d}", f.Least, f.Most)
	case f.Most != 1 || len(f.Relations) == 1:
		text += fmt.Sprintf("{%d}", f.Most)
	}
	return text + "(" + f.Head.String() + ", " + f.Tail.String() + ")"
}

// String prints the inequality.
func (f *Unequal) String() string {
	return f.Left.String() + " != " + f.Right.String()
}

// String prints the filter.
func (f *Filter) String() string { return f.Text(f.Subject.String()) }

// String prints the literal.
func (l Literal) String() string {
	if l.Kind == SameAtom && !l.Negated {
		return l.Head.String() + " = " + l.Tail.String()
	}
	return Text(l.Formula())
}

// String prints the literals, joined by &.
func (s Disjunct) String() string { return Joined(s.Literals, " & ") }

// String prints the disjuncts, one per line.
func (d *DNF) String() string { return Joined(d.Disjuncts, "\n") }

// Joined prints parts, separated by sep.
func Joined[T fmt.Stringer](parts []T, sep string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.String()
	}
	return strings.Join(out, sep)
}
