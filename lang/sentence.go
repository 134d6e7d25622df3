package lang

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
)

// sentence is a formula without a free variable, split into parts. A part is a conjunction of connected literals, as
// a query for one of their variables: it holds if there is an answer. An atom without variables, r(a, b), becomes the
// part r(a, it), whose answers must include b. Disjuncts share equal parts.
type sentence struct {
	parts     []Part
	disjuncts [][]int

	whole *Query
}

// add adds a disjunct.
func (s *sentence) add(r, warnings *reporter, disjunct ast.Disjunct) {
	var links []component
	for _, l := range disjunct.Literals {
		links = append(links, component{vars: variablesOf(l)})
	}
	var parts []int
	for _, c := range components(slices.DeleteFunc(links, func(c component) bool { return len(c.vars) == 0 })) {
		var literals []ast.Literal
		for _, l := range disjunct.Literals {
			if vars := variablesOf(l); len(vars) > 0 && ast.HasName(c.vars, vars[0].Name) {
				literals = append(literals, l)
			}
		}
		parts = append(parts, s.part(r, warnings, c.vars, literals, nil))
	}
	for _, l := range disjunct.Literals {
		if len(variablesOf(l)) == 0 {
			at := l.Tail
			l.Tail = ast.Term{Kind: ast.Variable, Name: "it", Pos: at.Pos}
			parts = append(parts, s.part(r, warnings, []ast.Term{l.Tail}, []ast.Literal{l}, &at))
		}
	}
	s.disjuncts = append(s.disjuncts, parts)
}

// part returns the index of the part with the variables vars, which asks for the first.
func (s *sentence) part(r, warnings *reporter, vars []ast.Term, literals []ast.Literal, at *ast.Term) int {
	q := &Query{Name: s.whole.Name, Free: vars[0].Name, FreePos: vars[0].Pos, Pos: literals[0].Pos, Source: s.whole.Source}
	q.Formula = ast.Disjunct{Literals: literals}.Formula(q.Free)
	for _, p := range s.whole.Params {
		if slices.ContainsFunc(literals, func(l ast.Literal) bool { return takes(l, p.Name) }) {
			q.Params = append(q.Params, p)
		}
	}
	text := ast.Text(q.Formula)
	same := func(p Part) bool {
		return ast.Text(p.Formula) == text && (p.At == at || p.At != nil && at != nil && sameTerm(*p.At, *at))
	}
	if i := slices.IndexFunc(s.parts, same); i >= 0 {
		return i
	}
	if err := q.Normalize(); err != nil {
		r.errs = append(r.errs, err.(ErrorList)...)
	}
	for _, w := range q.Warnings {
		warnings.errs = append(warnings.errs, (*Error)(&w))
	}
	s.parts = append(s.parts, Part{Query: q, At: at})
	return len(s.parts) - 1
}

// variablesOf returns the variables of a literal.
func variablesOf(l ast.Literal) (list []ast.Term) {
	for _, t := range l.Terms() {
		if t.Kind == ast.Variable {
			list = append(list, *t)
		}
	}
	return list
}

// takes reports whether a literal has a parameter of that name.
func takes(l ast.Literal, name string) bool {
	return l.Relation.Param && l.Relation.Name == name ||
		slices.ContainsFunc(l.Terms(), func(t *ast.Term) bool { return t.Kind == ast.Parameter && t.Name == name }) ||
		slices.ContainsFunc(l.Condition.Comparisons, func(c ast.Comparison) bool { return c.Param && c.Value == name })
}
