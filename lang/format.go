package lang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWidth is the length beyond which a template's formula is broken into
// lines.
const maxWidth = 100

// Format prints a file in canonical form. Parsing the result gives the same
// file except for positions and loose comments, which are not printed.
func Format(f *File) string {
	var b strings.Builder
	if f.Package != "" {
		writeDoc(&b, f.Doc)
		b.WriteString("package " + f.Package + "\n")
	}
	if f.Semantics != "" {
		b.WriteString("semantics " + f.Semantics + "\n")
	}
	if f.Layers != 0 {
		fmt.Fprintf(&b, "layers %d\n", f.Layers)
	}
	for _, q := range f.Queries {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		writeDoc(&b, q.Doc)
		b.WriteString(q.String() + "\n")
	}
	return b.String()
}

// writeDoc writes a comment.
func writeDoc(b *strings.Builder, doc string) {
	if doc == "" {
		return
	}
	for line := range strings.SplitSeq(doc, "\n") {
		b.WriteString(strings.TrimRight("// "+line, " \t\r") + "\n")
	}
}

// String prints the query in canonical form, without its doc comment: a
// template as ParseFile reads it, an ad-hoc question as ParseFormula does. A
// query with parameters but without name, such as a benchmark shape, is
// printed as a template named _.
func (q *Query) String() string {
	if q.Name == "" && len(q.Params) == 0 {
		return formulaString(q.Formula)
	}
	var b strings.Builder
	b.WriteString("query ")
	if q.Name == "" {
		b.WriteByte('_')
	}
	b.WriteString(q.Name)
	if len(q.Params) > 0 {
		b.WriteByte('(')
		for i, p := range q.Params {
			b.WriteString(p.Name)
			switch {
			case i == len(q.Params)-1:
				b.WriteString(" " + p.Kind.String())
			case p.Kind != q.Params[i+1].Kind:
				b.WriteString(" " + p.Kind.String() + ", ")
			default:
				b.WriteString(", ")
			}
		}
		b.WriteByte(')')
	}
	b.WriteString(" " + q.Free + " =\n    ")
	b.WriteString(layout(q.Formula, "    "))
	return b.String()
}

// layout prints a formula that is too long for a line with its quantifier and
// its operands on lines of their own.
func layout(f Formula, indent string) string {
	line := formulaString(f)
	if len(indent)+utf8.RuneCountInString(line) <= maxWidth {
		return line
	}
	switch f := f.(type) {
	case *Exists:
		return quantifier(f) + "\n" + indent + "    " + layout(f.Body, indent+"    ")
	case *And:
		return operands(f.Args, precAnd, " &\n"+indent)
	case *Or:
		return operands(f.Args, precOr, " |\n"+indent)
	}
	return line
}

// The precedences: that of a formula is compared with that of its place.
const (
	precOr = iota
	precAnd
	precUnary
)

// formulaString prints a formula on one line.
func formulaString(f Formula) string {
	var b strings.Builder
	writeFormula(&b, f, precOr, true)
	return b.String()
}

// operands prints operands at the given precedence, the last of which nothing
// follows.
func operands(args []Formula, prec int, sep string) string {
	var b strings.Builder
	writeOperands(&b, args, prec, true, sep)
	return b.String()
}

// writeFormula prints f at a place of the given precedence. A quantifier
// reaches as far as it can, so it needs parentheses unless it comes last.
func writeFormula(b *strings.Builder, f Formula, prec int, last bool) {
	switch f := f.(type) {
	case *And:
		if len(f.Args) == 1 {
			writeFormula(b, f.Args[0], prec, last)
		} else {
			open := parens(b, prec > precAnd)
			writeOperands(b, f.Args, precAnd, last || open, " & ")
			closeParens(b, open)
		}
	case *Or:
		if len(f.Args) == 1 {
			writeFormula(b, f.Args[0], prec, last)
		} else {
			open := parens(b, prec > precOr)
			writeOperands(b, f.Args, precOr, last || open, " | ")
			closeParens(b, open)
		}
	case *Not:
		b.WriteByte('!')
		writeFormula(b, f.Arg, precUnary, last)
	case *Exists:
		open := parens(b, !last)
		b.WriteString(quantifier(f) + " ")
		writeFormula(b, f.Body, precOr, true)
		closeParens(b, open)
	case *Atom:
		b.WriteString(f.String())
	}
}

// writeOperands prints operands with a separator between them.
func writeOperands(b *strings.Builder, args []Formula, prec int, last bool, sep string) {
	for i, a := range args {
		if i > 0 {
			b.WriteString(sep)
		}
		writeFormula(b, a, prec, last && i == len(args)-1)
	}
}

// parens opens a parenthesis where asked to, and returns whether it did.
func parens(b *strings.Builder, open bool) bool {
	if open {
		b.WriteByte('(')
	}
	return open
}

// closeParens closes a parenthesis where one was opened.
func closeParens(b *strings.Builder, open bool) {
	if open {
		b.WriteByte(')')
	}
}

// quantifier prints a quantifier without its body.
func quantifier(f *Exists) string {
	vars := make([]string, len(f.Vars))
	for i, v := range f.Vars {
		vars[i] = v.Name
	}
	return "exists " + strings.Join(vars, ", ") + "."
}

// String prints the atom.
func (f *Atom) String() string {
	return f.Relation.String() + "(" + f.Head.String() + ", " + f.Tail.String() + ")"
}

// String prints the relation: a name that is an identifier is bare, any other
// quoted.
func (r Relation) String() string {
	s := r.Name
	switch {
	case r.Param:
		s = "$" + s
	case !isIdent(s):
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
	s := (&Atom{Relation: l.Relation, Head: l.Head, Tail: l.Tail}).String()
	if l.Negated {
		return "!" + s
	}
	return s
}

// String prints the literals joined by &.
func (s SCQ) String() string {
	out := make([]string, len(s.Literals))
	for i, l := range s.Literals {
		out[i] = l.String()
	}
	return strings.Join(out, " & ")
}

// String prints the disjuncts, one per line.
func (d *DNF) String() string {
	out := make([]string, len(d.SCQs))
	for i, s := range d.SCQs {
		out[i] = s.String()
	}
	return strings.Join(out, "\n")
}
