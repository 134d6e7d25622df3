package lang

import "slices"

// sentence is a formula without a free variable, taken apart. A part is the conjunction of literals that variables
// connect, as a query for the values of one of the variables: the part holds if there is an answer. A part without
// variables is an atom of two entities r(a, b), asked as r(a, it), where it must be b. Disjuncts share equal parts.
type sentence struct {
	parts     []Part
	disjuncts [][]int

	whole *Query
}

// add adds a disjunct.
func (s *sentence) add(r, warnings *reporter, scq SCQ) {
	var links []component
	for _, l := range scq.Literals {
		links = append(links, component{vars: variablesOf(l)})
	}
	var disjunct []int
	for _, c := range components(slices.DeleteFunc(links, func(c component) bool { return len(c.vars) == 0 })) {
		var literals []Literal
		for _, l := range scq.Literals {
			if vars := variablesOf(l); len(vars) > 0 && hasName(c.vars, vars[0].Name) {
				literals = append(literals, l)
			}
		}
		disjunct = append(disjunct, s.part(r, warnings, c.vars, literals, nil))
	}
	for _, l := range scq.Literals {
		if len(variablesOf(l)) == 0 {
			at := l.Tail
			l.Tail = Term{Kind: Variable, Name: "it", Pos: at.Pos}
			disjunct = append(disjunct, s.part(r, warnings, []Term{l.Tail}, []Literal{l}, &at))
		}
	}
	s.disjuncts = append(s.disjuncts, disjunct)
}

// part returns the index of the part with the variables vars. The part asks for the first of them.
func (s *sentence) part(r, warnings *reporter, vars []Term, literals []Literal, at *Term) int {
	q := &Query{Name: s.whole.Name, Free: vars[0].Name, FreePos: vars[0].Pos, Pos: literals[0].Pos, src: s.whole.src}
	var args []Formula
	for _, l := range literals {
		args = append(args, l.formula())
	}
	q.Formula = join[*And](args, func(f Formula) Formula { return f }, func(args []Formula) Formula { return &And{args, q.Pos} })
	if len(vars) > 1 {
		q.Formula = &Exists{Vars: vars[1:], Body: q.Formula, Pos: q.Pos}
	}
	for _, p := range s.whole.Params {
		if slices.ContainsFunc(literals, func(l Literal) bool { return l.takes(p.Name) }) {
			q.Params = append(q.Params, p)
		}
	}
	text := formulaString(q.Formula)
	same := func(p Part) bool {
		return formulaString(p.Formula) == text && (p.At == at || p.At != nil && at != nil && sameTerm(*p.At, *at))
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
func variablesOf(l Literal) []Term {
	return slices.DeleteFunc([]Term{l.Head, l.Tail}, func(t Term) bool { return t.Kind != Variable })
}

// takes reports whether a literal has the parameter of that name.
func (l Literal) takes(name string) bool {
	is := func(t Term) bool { return t.Kind == Parameter && t.Name == name }
	return is(l.Head) || is(l.Tail) || l.Relation.Param && l.Relation.Name == name
}

// formula returns a literal of a merged disjunct as a formula.
func (l Literal) formula() Formula {
	if l.Same {
		return &Unequal{l.Head, l.Tail, l.Pos}
	}
	atom := &Atom{l.Relation, l.Head, l.Tail, l.Pos}
	if l.Negated {
		return &Not{atom, l.Pos}
	}
	return atom
}
