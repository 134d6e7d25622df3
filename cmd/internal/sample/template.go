package sample

import (
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Template is a benchmark shape. All its entities and relations are parameters to draw.
type Template struct {
	// Name is the name of the shape.
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
func (s *slots) entity(slot int, args []int32) int32 { return args[s.Constants[slot].Index] }

// relation returns the value of a relation slot.
func (s *slots) relation(slot int, args []int32) int32 {
	of := s.Relations[slot]
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
	a := stages.Analyze(q)
	spec, err := a.Resolve(nil, model.NSMP)
	if err != nil {
		return nil, err
	}
	return &Template{Name: name, Query: q, patterns: a.Shape().Disjuncts, slots: slots{spec.Parts[0], spec}}, nil
}

// Links returns the number of links that an answer may need, all of which may be missing: the positive atoms of the
// disjunct with the fewest.
func (t *Template) Links() int { return exact.Links(t.patterns) }
