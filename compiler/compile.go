package compiler

import (
	"fmt"
	"sync"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// Compiled is what the compiler made of a shape.
type Compiled struct {
	// Shape is the shape that was compiled, with the names of the first query
	// that had it.
	Shape *lower.Shape
	// Semantics says what answers mean.
	Semantics fit.Semantics
	// Layers is the setting, 0 for D+1. Truth degrees have no layers.
	Layers int
	// Schedules say, for each SCQ, which messages its layers send; nil for fit.FIT.
	Schedules []*lower.Schedule
	// Naive is the plan before the passes, Plan the plan after them.
	Naive, Plan *ir.Plan
	// Bind is the part of the plan that is run when a query is bound; nil if there
	// is none.
	Bind *ir.Plan
	// Steps are the passes that ran.
	Steps []pass.Step

	interp memo // the plan for EngineInterp
}

// memo makes a plan of the runtime once.
type memo struct {
	once sync.Once
	plan *runtime.Plan
	err  error
}

// Compile compiles a shape for message passing of the given number of layers, 0 for
// D+1.
func Compile(s *lower.Shape, layers int) (*Compiled, error) {
	return compile(s, layers, fit.NSMP, pass.Default(), nil)
}

// CompileAs compiles a shape for a semantics, the zero one being fit.NSMP. observe, if
// not nil, sees the plan after each pass.
func CompileAs(s *lower.Shape, layers int, semantics fit.Semantics, observe func(pass.Step, *ir.Plan)) (*Compiled, error) {
	return compile(s, layers, semantics, pass.Default(), observe)
}

func compile(s *lower.Shape, layers int, semantics fit.Semantics, passes []pass.Pass, observe func(pass.Step, *ir.Plan)) (*Compiled, error) {
	if err := runtime.LayersRange.CheckWhole(layers); err != nil {
		return nil, err
	}
	var naive *ir.Plan
	var schedules []*lower.Schedule
	var err error
	switch semantics {
	case "", fit.NSMP:
		semantics = fit.NSMP
		naive, schedules, err = lower.NSMP(s, layers)
	case fit.FIT:
		naive = lower.FIT(s)
	case fit.Mixed:
		naive, schedules, err = lower.Mixed(s, layers)
	default:
		err = fmt.Errorf("unknown semantics %q, want nsmp, fit or mixed", string(semantics))
	}
	if err != nil {
		return nil, err
	}
	if err := naive.Verify(); err != nil {
		return nil, fmt.Errorf("internal error: lowering %s: %w", s.Key, err)
	}
	c := &Compiled{Shape: s, Semantics: semantics, Layers: layers, Schedules: schedules, Naive: naive, Plan: naive.Clone()}
	err = pass.Run(c.Plan, passes, func(st pass.Step) {
		c.Steps = append(c.Steps, st)
		if observe != nil {
			observe(st, c.Plan)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("shape %s: %w", s.Key, err)
	}
	return c, nil
}

// CompileFixed compiles a shape for a template that fills some slots itself: what
// depends on those alone goes into Bind.
func CompileFixed(s *lower.Shape, layers int, semantics fit.Semantics, fixed pass.Fixed) (*Compiled, error) {
	share, fuse := pass.Stages()
	c, err := compile(s, layers, semantics, share, nil)
	if err != nil {
		return nil, err
	}
	c.Bind, c.Plan = pass.Split(c.Plan, fixed)
	for _, p := range []*ir.Plan{c.Bind, c.Plan} {
		if p == nil {
			continue
		}
		if err := p.Verify(); err != nil {
			return nil, fmt.Errorf("shape %s: internal error: split: %w", s.Key, err)
		}
		if err := pass.Run(p, fuse, nil); err != nil {
			return nil, fmt.Errorf("shape %s: %w", s.Key, err)
		}
	}
	return c, nil
}

// Patterns returns the query graphs of the disjuncts, as the runtime matches
// them.
func (c *Compiled) Patterns() []runtime.Pattern {
	var patterns []runtime.Pattern
	for i := range c.Shape.SCQs {
		patterns = append(patterns, c.Shape.SCQs[i].Pattern())
	}
	return patterns
}

// PlanSets returns the plan's fuzzy sets as the runtime names them.
func (c *Compiled) PlanSets() []runtime.PlanSet {
	var sets []runtime.PlanSet
	for _, s := range c.Plan.Sets {
		for v, variable := range c.Shape.SCQs[s.SCQ].Variables {
			if variable.Name == s.Variable {
				sets = append(sets, runtime.PlanSet{SCQ: s.SCQ, Variable: v})
			}
		}
	}
	return sets
}
