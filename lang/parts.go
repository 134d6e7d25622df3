package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// Asks returns what the query asks for.
func (q *Query) Asks() kind.Question {
	switch {
	case q.Free == "":
		return kind.Verdict
	case len(q.Others) > 0:
		return kind.Rows
	}
	return q.Wants
}

// unwanted explains why the query cannot ask for Wants; nil if it can.
func (q *Query) unwanted() *Error {
	if q.Wants == kind.Answers || len(q.Others) == 0 {
		return nil
	}
	return q.Errorf(q.Others[0].Pos, "leave one variable free, with the others under exists", "only the answers of one variable have a %s", q.Wants)
}

// Part is a query with one answer variable, used to answer another query.
type Part struct {
	*Query
	// At is, in a yes-or-no query, the entity that must be an answer; nil if any answer will do.
	At *ast.Term
	// Variable is the index of the part's answer variable among several, in the order of Searched.
	Variable int
	// Disjunct is, in a query with several answer variables, the disjunct whose truth degrees the part computes,
	// see Given; -1 for a part that passes messages in all disjuncts, see Marginal.
	Disjunct int
	// Own says that the part has only the atoms of Variable and given entities.
	Own bool
}

// Parts returns the queries with one answer variable that together answer the query. For one answer variable,
// that is the query itself; for several, the marginals and, for each disjunct and variable, the queries that
// compute truth degrees; for a yes-or-no query, the distinct parts of its disjuncts.
func (q *Query) Parts() (list []Part) {
	switch q.Asks() {
	case kind.Verdict:
		return q.sentence.parts
	case kind.Rows:
		q = q.Searched()
		vars := q.Variables()
		for v := range vars {
			list = append(list, Part{Query: q.Marginal(v), Variable: v, Disjunct: -1})
		}
		for d := range q.Normal.Disjuncts {
			for v := range vars {
				list = append(list, Part{Query: q.Given(d, v, false), Variable: v, Disjunct: d})
				if own := q.Given(d, v, true); own != nil && v < len(q.Others) {
					list = append(list, Part{Query: own, Variable: v, Disjunct: d, Own: true})
				}
			}
		}
		return list
	}
	return []Part{{Query: q}}
}

// Searched returns the query with its answer variables in the order in which rows are searched. An atom is read from
// the earlier of its two variables, and its degree depends on that direction. The order is derived from the atoms
// alone, so that scores do not depend on the order in which a question names its variables: variables that share an
// atom with an entity come first, then variables by the text of their atoms.
func (q *Query) Searched() *Query {
	var literals []ast.Literal
	for _, d := range q.Normal.Disjuncts {
		for _, l := range d.Literals {
			literals = append(literals, l.Forward())
		}
	}
	slices.SortStableFunc(literals, func(a, b ast.Literal) int {
		return cmp.Or(cmp.Compare(looseness(a), looseness(b)), strings.Compare(a.String(), b.String()))
	})
	free := q.Variables()
	var order []ast.Term
	for _, l := range literals {
		for _, t := range variablesOf(l) {
			if at := slices.IndexFunc(free, func(v ast.Term) bool { return v.Name == t.Name }); at >= 0 && !ast.HasName(order, t.Name) {
				order = append(order, free[at])
			}
		}
	}
	searched := *q
	searched.Free = order[0].Name
	searched.FreePos = order[0].Pos
	searched.Others = order[1:]
	return &searched
}

// looseness orders literals by how weakly they restrict their variables.
func looseness(l ast.Literal) int {
	loose := len(variablesOf(l))
	switch {
	case l.Kind != ast.LinkAtom:
		loose += 4
	case l.Negated:
		loose += 2
	}
	return loose
}

// Disjuncts returns, for a yes-or-no query, the indices of the parts of each disjunct: the query holds if all
// parts of some disjunct hold. It is nil for other queries.
func (q *Query) Disjuncts() [][]int {
	if q.sentence == nil {
		return nil
	}
	return q.sentence.disjuncts
}

// Marginal returns the query for answer variable i of several, with the others existential, in normal form.
func (q *Query) Marginal(i int) *Query {
	return q.part(i, q.Normal.Disjuncts)
}

// Given returns the conjunctive query for answer variable i of several, in one disjunct and in normal form. The answer
// variables before i become entity parameters, appended to Params in order; those after i become existential. It keeps
// the atoms and filters that mention a variable that is not given: only i if own is set, otherwise i or later ones. It is
// nil if there are none. It may restrict i less than Normalize requires.
func (q *Query) Given(disjunct, i int, own bool) *Query {
	vars := q.Variables()
	var rest ast.Disjunct
	for _, l := range q.Normal.Disjuncts[disjunct].Literals {
		given := 0
		target := false
		others := false
		for _, t := range l.Terms() {
			switch at := slices.IndexFunc(vars, func(v ast.Term) bool { return t.Kind == ast.Variable && v.Name == t.Name }); {
			case t.Kind != ast.Variable || at >= 0 && at < i:
				given++
			case at == i:
				target = true
			default:
				others = true
			}
		}
		if given == len(l.Terms()) || own && (!target || others || l.Kind == ast.SameAtom) {
			continue
		}
		for _, t := range l.Terms() {
			if t.Kind == ast.Variable && ast.HasName(vars[:i], t.Name) {
				*t = ast.Term{Kind: ast.Parameter, Name: q.givenName(t.Name), Pos: t.Pos}
			}
		}
		rest.Literals = append(rest.Literals, l)
	}
	if rest.Literals == nil {
		return nil
	}
	p := q.part(i, []ast.Disjunct{rest})
	p.Params = slices.Clip(p.Params)
	for _, v := range vars[:i] {
		p.Params = append(p.Params, Param{q.givenName(v.Name), kind.Entity, v.Pos})
	}
	return p
}

// GivenVariable returns the index of the answer variable that a parameter of Given replaces; -1 for other
// parameters.
func (q *Query) GivenVariable(param string) int {
	return slices.IndexFunc(q.Variables(), func(v ast.Term) bool { return q.givenName(v.Name) == param })
}

// givenName returns the name of the parameter for an answer variable: the variable's name, made unique among
// Params.
func (q *Query) givenName(name string) string {
	unique := name
	for i := 2; q.Param(unique) >= 0; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	return unique
}

// part returns the query for answer variable i restricted to the given disjuncts, with their literals directed
// towards it.
func (q *Query) part(i int, disjuncts []ast.Disjunct) *Query {
	free := q.Variables()[i]
	p := &Query{Name: q.Name, Params: q.Params, Free: free.Name, FreePos: free.Pos, Pos: q.Pos, Source: q.Source}
	p.Normal = &ast.DNF{Free: free.Name}
	var all []ast.Formula
	for _, disjunct := range disjuncts {
		disjunct.Literals = slices.Clone(disjunct.Literals)
		orient(disjunct, free.Name)
		p.Normal.Disjuncts = append(p.Normal.Disjuncts, disjunct)
		all = append(all, disjunct.Formula(free.Name))
	}
	p.Formula = all[0]
	if len(all) > 1 {
		p.Formula = &ast.Or{Args: all, Pos: q.Pos}
	}
	return p
}
