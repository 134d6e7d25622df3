package lang

import (
	"cmp"
	"errors"
	"math"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime/kind"
)

// Vocabulary looks up a model's entities and relations by name.
type Vocabulary interface {
	// FindEntity returns the id of an entity, or an error if it is unknown.
	FindEntity(name string) (id int32, err error)
	// FindTail is FindEntity for an entity to which each of some directed relations leads, by which it may choose among
	// several entities of that label.
	FindTail(name string, relations []int32) (id int32, err error)
	// FindRelation returns the id of a relation, or an error if it is unknown.
	FindRelation(name string) (id int32, err error)
	// FindType returns the id of an entity used as a type without a relation, or an error if it is unknown or the
	// model has no type relation.
	FindType(name string) (id int32, err error)
	// CheckAttribute returns an error if an attribute is unknown.
	CheckAttribute(name string) error
	// ReadValue returns the interval of numbers that a value of an attribute denotes, as a date may span many moments.
	// It returns an error if the value is quoted, as dates are, and should not be, or vice versa. A parameter's value is
	// empty.
	ReadValue(attribute, value string, quoted bool) (first, last float64, err error)
	// NearestEntities returns at most max known names similar to name.
	NearestEntities(name string, max int) []string
	// NearestRelations returns at most max known names similar to name.
	NearestRelations(name string, max int) []string
	// NearestTypes returns at most max known types similar to name.
	NearestTypes(name string, max int) []string
}

// Resolve looks up the ids of the entities and relations in a query. It reports each unknown name once, at its
// first position, with the vocabulary's error as message. It reports an unknown relation behind an alias where
// the alias is declared. The error is an ErrorList. A query without names needs no vocabulary.
func (q *Query) Resolve(v Vocabulary) (ast.IDs, error) {
	if v == nil { // the query has no names
		v = struct{ Vocabulary }{}
	}
	r := &resolver{
		reporter: reporter{src: q.Source},
		v:        v,
		ids:      ast.IDs{Entities: map[string]int32{}, Relations: map[string]int32{}},
		suggest:  map[*Error]func(){},
	}
	relations := namespace{r.ids.Relations, Vocabulary.FindRelation, Vocabulary.NearestRelations, func(name string) string { return ast.Relation{Name: name}.String() }}
	entities := namespace{r.ids.Entities, Vocabulary.FindEntity, Vocabulary.NearestEntities, func(name string) string { return ast.Term{Kind: ast.Constant, Name: name}.String() }}
	lookUpRelation := func(used ast.Relation) {
		r.lookUp(relations, used.Name, func() ast.Pos { return q.place(used) }, "")
	}
	if t := q.TypeFilter; t != nil && t.Relation.Name == "" {
		types := entities
		types.find = Vocabulary.FindType
		types.similar = Vocabulary.NearestTypes
		r.lookUp(types, t.Entity.Name, t.Entity.Pos.Position, typeHint(t))
	} else if t != nil {
		lookUpRelation(t.Relation)
		r.lookUp(entities, t.Entity.Name, t.Entity.Pos.Position, "")
	}
	formula := q.plain
	if formula == nil { // not normalised
		formula = q.Formula
	}
	ast.Walk(formula, func(f ast.Formula) {
		if a, ok := f.(*ast.Atom); ok && !a.Relation.Param {
			lookUpRelation(a.Relation)
		}
	})
	entities.find = func(v Vocabulary, name string) (int32, error) {
		return v.FindTail(name, leading(formula, name, r.ids.Relations))
	}
	ast.Walk(formula, func(f ast.Formula) {
		for _, t := range ast.Terms(f) {
			if t.Kind == ast.Constant {
				r.lookUp(entities, t.Name, t.Pos.Position, "")
			}
		}
	})
	q.checkFilters(&r.reporter, v, formula)
	err := r.err()
	for _, mistake := range r.errs[:min(len(r.errs), maxShown)] {
		if find := r.suggest[mistake]; find != nil { // compares all names of the model
			find()
		}
	}
	return r.ids, err
}

// resolver collects the ids of a query's names, and the mistakes.
type resolver struct {
	reporter
	v       Vocabulary
	ids     ast.IDs
	suggest map[*Error]func() // adds the nearest names to a mistake
}

// namespace finds names of one kind.
type namespace struct {
	ids     map[string]int32
	find    func(v Vocabulary, name string) (int32, error)
	similar func(v Vocabulary, name string, max int) []string
	written func(name string) string // as in a formula
}

// lookUp finds the id of a name unless it is known already, and reports a name that is unknown.
func (r *resolver) lookUp(in namespace, name string, pos func() ast.Pos, hint string) {
	if _, ok := in.ids[name]; ok {
		return
	}
	id, err := in.find(r.v, name)
	in.ids[name] = id
	if err == nil {
		return
	}
	mistake := r.add(pos(), hint, "%s", err)
	mistake.Unknown = true
	r.suggest[mistake] = func() {
		near := in.similar(r.v, name, nearest.Max)
		mistake.Hint = cmp.Or(nearest.Hint(quoteAll(near)), hint)
		for _, n := range near {
			mistake.Nearest = append(mistake.Nearest, in.written(n))
		}
	}
}

// leading returns the directed relations of a formula that lead to an entity, given the ids of the relations.
func leading(formula ast.Formula, entity string, ids map[string]int32) (relations []int32) {
	is := func(t ast.Term) bool { return t.Kind == ast.Constant && t.Name == entity }
	ast.Walk(formula, func(f ast.Formula) {
		a, ok := f.(*ast.Atom)
		if !ok || a.Relation.Param {
			return
		}
		to := ids[a.Relation.Name]
		if a.Relation.Inverse {
			to ^= 1
		}
		if is(a.Tail) {
			relations = append(relations, to)
		}
		if is(a.Head) {
			relations = append(relations, to^1)
		}
	})
	return relations
}

// checkFilters reports each filter that the vocabulary refuses once, at its first position.
func (q *Query) checkFilters(r *reporter, v Vocabulary, formula ast.Formula) {
	checked := map[string]bool{}
	ast.Walk(formula, func(part ast.Formula) {
		f, ok := part.(*ast.Filter)
		if !ok || checked[f.Text("")] {
			return
		}
		checked[f.Text("")] = true
		q.checkFilter(r, v, f)
	})
}

// checkFilter reports values that the vocabulary refuses, and empty ranges.
func (q *Query) checkFilter(r *reporter, v Vocabulary, f *ast.Filter) {
	if err := v.CheckAttribute(f.Attribute); err != nil {
		r.add(f.Pos, "", "%s", err).Unknown = true
		return
	}
	least := math.Inf(-1)
	most := math.Inf(1)
	for _, c := range f.Comparisons {
		value := c.Value
		if c.Param {
			value = ""
		}
		first, last, err := v.ReadValue(f.Attribute, value, q.date(c))
		if err != nil {
			r.add(c.Pos, "", "%s", err)
			return
		}
		if c.Param {
			continue
		}
		switch c.Operator {
		case ">=":
			least = max(least, first)
		case ">":
			least = max(least, math.Nextafter(last, math.Inf(1)))
		case "<=":
			most = min(most, last)
		case "<":
			most = min(most, math.Nextafter(first, math.Inf(-1)))
		case "=":
			least = max(least, first)
			most = min(most, last)
		}
		if least > most {
			r.add(c.Pos, "write the smaller value first", "no value meets %s", f)
			return
		}
	}
}

// date reports whether a comparison is with a date.
func (q *Query) date(c ast.Comparison) bool {
	return c.Quoted || c.Param && q.Params[q.Param(c.Value)].Kind == kind.Date
}

// Unquoted adds hints to the errors of a query that does not parse, and returns err. If a variable at fault has an
// entity's name, the hint says to quote it.
func Unquoted(err error, v Vocabulary) error {
	list, _ := errors.AsType[ErrorList](err)
	for _, e := range list {
		for _, t := range e.bare {
			if _, unknown := v.FindEntity(t.Name); unknown == nil {
				e.Pos, e.Line, e.Nearest = t.Pos, e.src.Line(t.Pos), quoteAll([]string{t.Name})
				e.Hint = nearest.Hint(e.Nearest)
				break
			}
		}
	}
	return err
}
