package lang

import (
	"fmt"
	"slices"
)

// Marginal returns the query for answer variable i of several, in which the others are
// existential. It is normal.
func (q *Query) Marginal(i int) *Query {
	return q.part(i, q.Normal.SCQs)
}

// Given returns the conjunctive query for answer variable i in one disjunct of several answer
// variables' query: those before i are entity parameters, the last of its Params in order, and
// those behind it existential. It has the atoms that say something of other variables than the
// given ones: of i alone if own is set, otherwise of i or those behind it. It is nil if there are
// none. It is normal, but may restrict i by less than Normalize asks for.
func (q *Query) Given(disjunct, i int, own bool) *Query {
	vars := q.Variables()
	var scq SCQ
	for _, l := range q.Normal.SCQs[disjunct].Literals {
		given := 0
		target := false
		others := false
		for _, t := range []*Term{&l.Head, &l.Tail} {
			switch at := slices.IndexFunc(vars, func(v Term) bool { return t.Kind == Variable && v.Name == t.Name }); {
			case t.Kind != Variable || at >= 0 && at < i:
				given++
			case at == i:
				target = true
			default:
				others = true
			}
		}
		if given == 2 || own && (!target || others || l.Same) {
			continue
		}
		for _, t := range []*Term{&l.Head, &l.Tail} {
			if t.Kind == Variable && hasName(vars[:i], t.Name) {
				*t = Term{Kind: Parameter, Name: q.givenName(t.Name), Pos: t.Pos}
			}
		}
		scq.Literals = append(scq.Literals, l)
	}
	if scq.Literals == nil {
		return nil
	}
	p := q.part(i, []SCQ{scq})
	p.Params = slices.Clip(p.Params)
	for _, v := range vars[:i] {
		p.Params = append(p.Params, Param{q.givenName(v.Name), EntityKind, v.Pos})
	}
	return p
}

// givenName returns the name of the parameter for an answer variable: its own, unless a parameter
// has that.
func (q *Query) givenName(name string) string {
	unique := name
	for i := 2; slices.ContainsFunc(q.Params, func(p Param) bool { return p.Name == unique }); i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	return unique
}

// part returns the query for answer variable i by some disjuncts, with their literals directed
// towards it.
func (q *Query) part(i int, disjuncts []SCQ) *Query {
	free := q.Variables()[i]
	p := &Query{Name: q.Name, Params: q.Params, Free: free.Name, FreePos: free.Pos, Pos: q.Pos, src: q.src}
	p.Normal = &DNF{Free: free.Name}
	var all []Formula
	for _, scq := range disjuncts {
		scq.Literals = slices.Clone(scq.Literals)
		orient(scq, free.Name)
		p.Normal.SCQs = append(p.Normal.SCQs, scq)
		all = append(all, scq.formula(free.Name))
	}
	p.Formula = all[0]
	if len(all) > 1 {
		p.Formula = &Or{Args: all, Pos: q.Pos}
	}
	return p
}

// formula returns the conjunction as a formula in which one variable is free.
func (s SCQ) formula(free string) Formula {
	var args []Formula
	var vars []Term
	for _, l := range s.Literals {
		for _, t := range []Term{l.Head, l.Tail} {
			if t.Kind == Variable && t.Name != free && !hasName(vars, t.Name) {
				vars = append(vars, t)
			}
		}
		w := l.AsWritten()
		var f Formula = &Atom{Relation: w.Relation, Head: w.Head, Tail: w.Tail, Pos: w.Pos}
		switch {
		case w.Same:
			f = &Unequal{Left: w.Head, Right: w.Tail, Pos: w.Pos}
		case w.Negated:
			f = &Not{Arg: f, Pos: w.Pos}
		}
		args = append(args, f)
	}
	f := args[0]
	if len(args) > 1 {
		f = &And{Args: args, Pos: f.Position()}
	}
	if len(vars) > 0 {
		f = &Exists{Vars: vars, Body: f, Pos: f.Position()}
	}
	return f
}
