package lang

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// maxWidth is the length beyond which a template's formula is broken into lines.
const maxWidth = 100

// String prints the query in canonical form, without its doc comment: a template in the syntax of ParseFile, an
// ad-hoc question in the syntax of ParseFormula. A query with parameters but no name, such as a benchmark
// shape, is printed as a template named _.
func (q *Query) String() string {
	if q.Name == "" && len(q.Params) == 0 {
		return q.adHocHead() + ast.Text(q.typed())
	}
	return ast.Joined(q.lines(false), "\n")
}

// adHocHead prints the head of an ad-hoc question; empty for a plain list of answers.
func (q *Query) adHocHead() string {
	if q.Wants == kind.Answers && len(q.Others) == 0 {
		return ""
	}
	if q.TypeFilter != nil { // which names the variable
		return q.Wants.String() + " "
	}
	return q.answers() + ": "
}

// answers prints the answer variables, preceded by the kind of question if they do not determine it.
func (q *Query) answers() string {
	names := strings.Join(ast.Names(q.Variables()), ", ")
	if q.Wants == kind.Answers {
		return names
	}
	return q.Wants.String() + " " + names
}

// typed returns the formula including the type filter.
func (q *Query) typed() ast.Formula {
	if q.TypeFilter == nil {
		return q.Formula
	}
	filter := *q.TypeFilter
	filter.Variable.Name = q.Free
	return &ast.And{Args: []ast.Formula{&filter, q.Formula}}
}

// lines prints a template: its head, then its formula.
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
	head := line{text: strings.TrimSuffix("query "+name+" "+q.answers(), " ")}
	if q.TypeFilter != nil {
		head.text += ": " + q.TypeFilter.String()
	}
	if len(q.Show) > 0 {
		head.text += " show " + strings.Join(ast.Names(q.Show), ", ")
	}
	head.text += " ="
	return append([]line{head}, formulaLines(q.Formula, "    ", broken)...)
}

// formulaLines prints a formula. If it is too long for a line, or broken is set, the quantifier and the
// operands are on lines of their own.
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
