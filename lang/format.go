package lang

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// maxWidth is the length beyond which a template's formula is broken into
// lines.
const maxWidth = 100

// String prints the query in canonical form, without its doc comment: a template as ParseFile
// reads it, an ad-hoc question as ParseFormula does. A query with parameters but no name, such
// as a benchmark shape, is printed as a template named _.
func (q *Query) String() string {
	if q.Name == "" && len(q.Params) == 0 {
		switch {
		case len(q.Others) > 0:
			return strings.Join(ast.Names(q.Variables()), ", ") + ": " + ast.Text(q.Formula)
		case q.TypeFilter == nil:
			return ast.Text(q.Formula)
		}
		filter := *q.TypeFilter
		filter.Variable.Name = q.Free
		return ast.Text(&ast.And{Args: []ast.Formula{&filter, q.Formula}})
	}
	return ast.Joined(q.lines(false), "\n")
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
	if q.Wants != kind.Answers {
		name += " " + q.Wants.String()
	}
	head := line{text: strings.TrimSuffix("query "+name+" "+strings.Join(ast.Names(q.Variables()), ", "), " ")}
	if q.TypeFilter != nil {
		head.text += ": " + q.TypeFilter.String()
	}
	if len(q.Show) > 0 {
		head.text += " show " + strings.Join(ast.Names(q.Show), ", ")
	}
	head.text += " ="
	return append([]line{head}, formulaLines(q.Formula, "    ", broken)...)
}

// formulaLines prints a formula. One that is too long for a line, or that is to be
// broken, has its quantifier and its operands on lines of their own.
func formulaLines(f ast.Formula, indent string, broken bool) []line {
	whole := line{indent: indent, text: ast.Text(f), at: f.Position().Offset}
	if !broken && len(indent)+utf8.RuneCountInString(whole.text) <= maxWidth {
		return []line{whole}
	}

	texts, body := ast.Lines(f)
	switch {
	case body != nil:
		whole.text = texts[0]
		return append([]line{whole}, formulaLines(body, indent+"    ", broken)...)
	case texts == nil:
		return []line{whole}
	}
	var lines []line
	for i, a := range ast.Parts(f) {
		lines = append(lines, line{indent: indent, text: texts[i], at: a.Position().Offset})
	}
	return lines
}
