package sparqlresult

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime/model"
)

// pattern prepares the pattern of a query for a matcher.
type pattern struct {
	request   *sparql.Request
	bundle    *model.Model
	index     map[string]int // of variables
	relations []bool         // which variables stand for relations
	uses      []int          // how often each variable occurs
	wanted    map[string]bool
	err       error // the first
}

// newPattern prepares the formula of a query; wanted are the variables whose values matter, nil for all.
func newPattern(r *sparql.Request, m *model.Model, wanted map[string]bool) (p *pattern, parts []part, err error) {
	p = &pattern{request: r, bundle: m, index: map[string]int{}, wanted: wanted}
	if r.Query.Formula == nil { // nothing is left of it that names could change
		return p, nil, nil
	}
	ast.Walk(r.Query.Formula, p.number)
	parts = p.order([]ast.Formula{r.Query.Formula}, make([]bool, len(p.index)))
	return p, parts, p.err
}

// number gives the variables of a formula their indices.
func (p *pattern) number(f ast.Formula) {
	if a, ok := f.(*ast.Atom); ok && a.Relation.Param {
		p.relations[p.variable(a.Relation.Name)] = true
	}
	for _, t := range ast.Terms(f) {
		if t.Kind == ast.Variable {
			p.variable(t.Name)
		}
	}
}

// variable returns the index of a variable, and counts a use.
func (p *pattern) variable(name string) int {
	i, ok := p.index[name]
	if !ok {
		i = len(p.index)
		p.index[name] = i
		p.relations = append(p.relations, false)
		p.uses = append(p.uses, 0)
	}
	p.uses[i]++
	return i
}

// order prepares formulas that all must hold, the cheapest first, given which variables have values before. It
// notes which have one after.
func (p *pattern) order(list []ast.Formula, bound []bool) (parts []part) {
	list = conjuncts(list)
	for len(list) > 0 {
		costs := make([]float64, len(list))
		for i, f := range list {
			costs[i] = p.cost(f, list, bound)
		}
		next := slices.Index(costs, slices.Min(costs))
		parts = append(parts, p.part(list[next], bound))
		list = slices.Delete(list, next, next+1)
	}
	return parts
}

// conjuncts returns the formulas with conjunctions taken apart.
func conjuncts(list []ast.Formula) (out []ast.Formula) {
	for _, f := range list {
		if and, ok := f.(*ast.And); ok {
			out = append(out, conjuncts(and.Args)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// cost estimates how many solutions a formula has beside a list that it is part of, given which variables have
// values. A condition costs nothing once no other formula gives its variables values, and waits until then.
func (p *pattern) cost(f ast.Formula, list []ast.Formula, bound []bool) float64 {
	if a, ok := f.(*ast.Atom); ok {
		return p.triples(a, bound)
	}
	if or, ok := f.(*ast.Or); ok && matches(f) {
		sum := 0.0
		for _, arg := range or.Args {
			least := math.Inf(1)
			for _, part := range conjuncts([]ast.Formula{arg}) {
				if matches(part) {
					least = min(least, p.cost(part, nil, bound))
				}
			}
			sum += least
		}
		return sum
	}
	for _, other := range list {
		for _, v := range given(other, false) {
			if !bound[p.index[v]] && slices.Contains(names(f), v) {
				return math.Inf(1)
			}
		}
	}
	return 0
}

// triples estimates how many facts a matcher looks at for a triple.
func (p *pattern) triples(a *ast.Atom, bound []bool) float64 {
	g := p.bundle.Graph
	has := func(t ast.Term) bool { return t.Kind != ast.Variable || bound[p.index[t.Name]] }
	facts := float64(g.NumTriples())
	relations := float64(g.NumRelations() / 2)
	switch {
	case !a.Relation.Param:
		if id, err := p.bundle.FindRelation(a.Relation.Name); err == nil {
			heads, _ := g.Edges(model.RelationID(id))
			facts = float64(len(heads))
		}
		relations = 1
	case bound[p.index[a.Relation.Name]]:
		facts /= relations
		relations = 1
	}
	entities := float64(max(1, g.NumEntities()))
	for _, end := range []ast.Term{a.Head, a.Tail} {
		if has(end) {
			facts /= entities
		}
	}
	return facts + relations
}

// matches reports whether a formula gives variables values, and is no mere condition.
func matches(f ast.Formula) bool {
	switch f := f.(type) {
	case *ast.Atom:
		return true
	case *ast.And:
		return slices.ContainsFunc(f.Args, matches)
	case *ast.Or:
		return slices.ContainsFunc(f.Args, matches)
	}
	return false
}

// given returns the variables to which a formula gives values: in some solutions, or in all.
func given(f ast.Formula, all bool) (list []string) {
	if _, ok := f.(*ast.Atom); ok {
		return names(f)
	}
	or, union := f.(*ast.Or)
	if _, and := f.(*ast.And); !and && !union {
		return nil
	}
	for _, arg := range ast.Parts(f) {
		list = append(list, given(arg, all)...)
	}
	if union && all {
		list = slices.DeleteFunc(list, func(v string) bool {
			return slices.ContainsFunc(or.Args, func(arg ast.Formula) bool { return !slices.Contains(given(arg, true), v) })
		})
	}
	return list
}

// names returns the variables of a formula.
func names(f ast.Formula) (list []string) {
	ast.Walk(f, func(f ast.Formula) {
		if a, ok := f.(*ast.Atom); ok && a.Relation.Param {
			list = append(list, a.Relation.Name)
		}
		for _, t := range ast.Terms(f) {
			if t.Kind == ast.Variable {
				list = append(list, t.Name)
			}
		}
	})
	return list
}

// part prepares a formula, and notes which variables have values after it.
func (p *pattern) part(f ast.Formula, bound []bool) part {
	var made part
	switch f := f.(type) {
	case *ast.Atom:
		made = p.triple(f, bound)
	case *ast.Or:
		made = p.alternatives(f, bound)
	case *ast.Not:
		made = without(p.order([]ast.Formula{f.Arg}, slices.Clone(bound)))
	case *ast.Unequal:
		made = p.unequal(f)
	case *ast.Call:
		made = p.kind(f)
	default:
		panic("internal error: a pattern of stored facts has another part")
	}
	for _, v := range given(f, true) {
		bound[p.index[v]] = true
	}
	return made
}

// alternatives prepares a disjunction: a union, or a condition, which has one solution at most.
func (p *pattern) alternatives(f *ast.Or, bound []bool) part {
	var u union
	for _, arg := range f.Args {
		u = append(u, p.order([]ast.Formula{arg}, slices.Clone(bound)))
	}
	if matches(f) {
		return u
	}
	return without{without{u}}
}

// triple prepares a triple.
func (p *pattern) triple(a *ast.Atom, bound []bool) part {
	t := &triple{subject: p.entity(a.Head), object: p.entity(a.Tail), predicate: place{variable: -1}}
	inverse := a.Relation.Inverse
	if a.Relation.Param {
		t.predicate = place{variable: p.index[a.Relation.Name]}
	} else {
		id := p.findRelation(a.Relation.Name, a.Relation.Pos)
		t.predicate.constant = int32(id / 2)
		inverse = inverse != id.IsInverse()
	}
	if inverse {
		t.subject, t.object = t.object, t.subject
	}
	t.ends = p.wanted != nil
	for _, end := range []ast.Term{a.Head, a.Tail} {
		if end.Kind == ast.Variable && (bound[p.index[end.Name]] || p.uses[p.index[end.Name]] > 1 || p.wanted[end.Name]) {
			t.ends = false
		}
	}
	return t
}

// findRelation returns the relation of a name.
func (p *pattern) findRelation(name string, pos ast.Pos) model.RelationID {
	id, err := p.bundle.FindRelation(name)
	if err != nil {
		p.fail(pos, similar(p.bundle.NearestRelations, name), err)
	}
	return model.RelationID(id)
}

// entity prepares an end of a triple.
func (p *pattern) entity(t ast.Term) place {
	if t.Kind == ast.Variable {
		return place{variable: p.index[t.Name]}
	}
	id, err := p.bundle.FindEntity(t.Name)
	if err != nil {
		p.fail(t.Pos, similar(p.bundle.NearestEntities, t.Name), err)
	}
	return place{variable: -1, constant: int32(id)}
}

// fail keeps the first error.
func (p *pattern) fail(pos ast.Pos, hint string, err error) {
	if p.err == nil {
		p.err = lang.ErrorList{p.request.Query.Errorf(pos, hint, "%v", err)}
	}
}

// similar returns a hint with names that a name could be a typo of.
func similar(nearest func(name string, n int) []string, name string) string {
	var list []string
	for _, n := range nearest(name, 3) {
		list = append(list, strconv.Quote(n))
	}
	if list == nil {
		return ""
	}
	return "did you mean " + strings.Join(list, " or ") + "?"
}

// unequal prepares an inequality or a filter by values.
func (p *pattern) unequal(f *ast.Unequal) part {
	if filter := f.Filter(); filter != nil {
		by := model.Filter{Attribute: filter.Attribute, Operator: filter.Operator, Value: filter.Value, Quoted: filter.Quoted}
		selection, err := p.bundle.Select(by)
		if err != nil {
			p.fail(f.Right.Pos, "", err)
			return test(nil)
		}
		of := p.entity(f.Left)
		return test(func(m *matcher) bool { return selection.Known(model.EntityID(m.value(of))) })
	}
	if !p.relation(f.Left) && !p.relation(f.Right) {
		left := p.entity(f.Left)
		right := p.entity(f.Right)
		return test(func(m *matcher) bool { return m.value(left) != m.value(right) })
	}
	left := p.term(f.Left)
	right := p.term(f.Right)
	return test(func(m *matcher) bool { return left(m) != right(m) })
}

// relation reports whether a term is a variable for a relation.
func (p *pattern) relation(t ast.Term) bool {
	return t.Kind == ast.Variable && p.relations[p.index[t.Name]]
}

// term returns the function that names a term beside a variable for a relation: a relation and an entity of the
// same name are the same IRI.
func (p *pattern) term(t ast.Term) func(m *matcher) string {
	switch {
	case p.relation(t):
		v := p.index[t.Name]
		return func(m *matcher) string { return p.bundle.Relations.Name(m.values[v]) }
	case t.Kind == ast.Variable:
		v := p.index[t.Name]
		return func(m *matcher) string { return p.bundle.Entities.Name(m.values[v]) }
	}
	name := p.bundle.Relations.Name(int32(p.findRelation(t.Name, t.Pos) / 2))
	return func(*matcher) string { return name }
}

// kinds are the kinds of terms by the names of their tests.
var kinds = map[string]int{"ISIRI": iri, "ISURI": iri, "ISBLANK": blank, "ISLITERAL": literal}

// kind prepares a test of the kind of a term.
func (p *pattern) kind(f *ast.Call) part {
	want := kinds[f.Name]
	of := p.entity(f.Args[0])
	if p.relation(f.Args[0]) {
		return test(func(*matcher) bool { return want == iri })
	}
	return test(func(m *matcher) bool {
		_, kind := kindOf(p.bundle.Entities.Name(m.value(of)))
		return kind == want
	})
}
