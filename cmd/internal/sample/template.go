package sample

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Template is a formula with parameters to draw.
type Template struct {
	// Name is the name of the benchmark shape or of the query.
	Name string
	// Query is the formula.
	Query *lang.Query

	patterns []scq.Disjunct
	slots    slots // of the patterns
}

// slots maps the slots of the patterns to parameter values, some of which may be unset.
type slots struct {
	plan.Part
	of *plan.Spec
}

// bind fills all slots.
func (s *slots) bind(args []int32) scq.Bindings {
	return s.Bindings(s.of.IDs, s.of.Args(args...), nil, nil)
}

// entity returns the value of an entity slot.
func (s *slots) entity(slot int, args []int32) int32 {
	of := s.Constants[slot]
	if of.From == plan.FromParam {
		return args[of.Index]
	}
	return int32(of.Entity(s.of.IDs, nil, nil))
}

// relation returns the value of a relation slot.
func (s *slots) relation(slot int, args []int32) int32 {
	of := s.Relations[slot]
	if of.From != plan.FromParam {
		return int32(of.Relation(s.of.IDs, nil))
	}
	value := plan.Arg{ID: args[of.Index]}
	of.Index = 0
	return int32(of.Relation(s.of.IDs, []plan.Arg{value}))
}

// unset is the value of a parameter or variable without one.
const unset = -1

// NewShape prepares the shape with that name in benchmark.Shapes.
func NewShape(name string) (*Template, error) {
	q, err := benchmark.Query(name)
	if err != nil {
		return nil, err
	}
	t := &Template{Name: name, Query: q}
	return t, t.fill(nil)
}

// NewTemplate prepares a template of a file. It fails if the template contains an unknown name, has no parameters, or
// has several answer variables.
func NewTemplate(q *lang.Query, v lang.Vocabulary) (*Template, error) {
	if q.TypeFilter != nil {
		return nil, q.Mistake("leave the type out, or say it with an atom", "queries are drawn of formulas, which have no type %s", q.TypeFilter)
	}
	if len(q.Params) == 0 {
		return nil, fmt.Errorf("query %s has no parameters: there is nothing to draw", q.Name)
	}
	for _, p := range q.Params {
		if queryset.Reserved(p.Name) {
			return nil, fmt.Errorf("query %s: a parameter cannot be called %s, which is a field of the output", q.Name, p.Name)
		}
	}
	t := &Template{Name: q.Name, Query: q}
	return t, t.fill(v)
}

// fill makes the patterns and slots.
func (t *Template) fill(v lang.Vocabulary) error {
	q := t.Query
	a := stages.Analyze(q)
	spec, err := a.Resolve(v, model.NSMP)
	if err != nil {
		return err
	}
	if spec.Conditions != nil {
		return q.Mistake("leave the filter out", "queries are drawn of formulas without filters by values")
	}
	t.patterns = a.Shape().Disjuncts
	t.slots = slots{spec.Parts[0], spec}
	used := make([]bool, len(t.Query.Params))
	for _, slot := range slices.Concat(t.slots.Constants, t.slots.Relations) {
		if slot.From == plan.FromParam {
			used[slot.Index] = true
		}
	}
	for i, p := range t.Query.Params {
		if !used[i] {
			return fmt.Errorf("query %s: parameter %s is not used in any atom", t.Name, p.Name)
		}
	}
	return nil
}

// Links returns the number of links that an answer may need, all of which may be missing: the positive atoms of the
// disjunct with the fewest.
func (t *Template) Links() int { return exact.Links(t.patterns) }

// free reports whether an atom has a parameter without a value.
func (t *Template) free(a scq.Atom, args []int32) bool {
	open := t.slots.relation(a.Relation, args) == unset
	for _, end := range []scq.Term{a.Head, a.Tail} {
		open = open || end.Constant && t.slots.entity(end.Index, args) == unset
	}
	return open
}
