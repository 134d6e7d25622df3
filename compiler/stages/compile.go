package stages

import (
	"fmt"
	"slices"
	"sync"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Compiled is a compiled shape.
type Compiled struct {
	// Shape is the compiled shape, with the names of the first query that had it.
	Shape *lower.Shape
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Layers is the setting, 0 for D+1. Truth degrees have no layers.
	Layers int
	// Schedules list, for each disjunct, the messages that its layers send; nil for model.FIT.
	Schedules []*lower.Schedule
	// Lowered is the plan before the passes, Optimized the plan after them.
	Lowered, Optimized *ir.Plan

	opByOp memo // the plan for EngineInterpreted
	device memo // the plan for EngineCUDA
}

// memo builds a runtime plan once.
type memo struct {
	once sync.Once
	plan *plan.Plan
	err  error
}

// get returns the plan. The first call builds it.
func (m *memo) get(build func() (*plan.Plan, error)) (*plan.Plan, error) {
	m.once.Do(func() { m.plan, m.err = build() })
	return m.plan, m.err
}

// Options configure the compilation of a shape. The zero value is the default semantics
// with D+1 layers.
type Options struct {
	// Layers is L, 0 for D+1. Truth degrees have none.
	Layers int
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Observe, if not nil, receives the plan after each pass.
	Observe pass.Observer
}

// Normal returns the options without those that have no effect.
func (o Options) Normal() Options {
	if o.Semantics == model.FIT {
		o.Layers = 0
	}
	return o
}

// Compile compiles a shape. If the options do not suit it, the error is a *lower.Refusal.
func Compile(s *lower.Shape, o Options) (*Compiled, error) {
	c, err := lowerShape(s, o)
	if err != nil {
		return nil, err
	}
	c.Optimized = c.Lowered.Clone()
	if err := pass.Run(c.Optimized, pass.Default(), o.Observe); err != nil {
		return nil, fmt.Errorf("shape %s: %w", s.Key, err)
	}
	return c, nil
}

// lowerShape makes the plan before the passes.
func lowerShape(s *lower.Shape, o Options) (*Compiled, error) {
	if err := model.LayersRange.CheckWhole(o.Layers); err != nil {
		return nil, lower.Refuse("", "%s", err)
	}
	o = o.Normal()
	c := &Compiled{Shape: s, Semantics: o.Semantics, Layers: o.Layers}
	var err error
	switch o.Semantics {
	case model.NSMP:
		c.Lowered, c.Schedules, err = lower.NSMP(s, o.Layers)
	case model.FIT:
		c.Lowered = lower.FIT(s)
	case model.Mixed:
		c.Lowered, c.Schedules, err = lower.Mixed(s, o.Layers)
	default:
		err = fmt.Errorf("internal error: %s", o.Semantics)
	}
	if err != nil {
		return nil, err
	}
	if err := c.Lowered.Verify(); err != nil {
		return nil, fmt.Errorf("internal error: lowering %s: %w", s.Key, err)
	}
	return c, nil
}

// Distribute returns the plan for the ranks of a split model.
func (c *Compiled) Distribute() (*ir.Plan, error) {
	p := c.Optimized.Clone()
	if err := pass.Run(p, []pass.Pass{pass.WriteOutReadout, pass.Distribute}, nil); err != nil {
		return nil, fmt.Errorf("shape %s: %w", c.Shape.Key, err)
	}
	return p, nil
}

// Fused returns the plan for small tables, nil if there is none: see pass.Fuse.
func (c *Compiled) Fused() (*ir.Plan, error) {
	if c.Semantics == model.FIT {
		return nil, nil
	}
	p := c.Optimized.Clone()
	fused := false
	note := func(ran pass.Pass, changed bool, _ *ir.Plan) { fused = fused || changed && ran.Name == pass.Fuse.Name }
	if err := pass.Run(p, []pass.Pass{pass.WriteOutReadout, pass.Fuse}, note); err != nil {
		return nil, fmt.Errorf("shape %s: %w", c.Shape.Key, err)
	}
	if !fused {
		return nil, nil
	}
	return p, nil
}

// NewPlan returns a runtime plan for a program made from the shape. The caller sets the functions that run it.
func (c *Compiled) NewPlan() *plan.Plan {
	s := c.Shape
	p := &plan.Plan{
		ABI: plan.ABI, Shape: s.Key, Semantics: c.Semantics, Layers: c.Layers,
		Constants: len(s.Constants), Relations: len(s.Relations), Filters: len(s.Filters), Disjuncts: s.Disjuncts,
	}
	for _, set := range c.Optimized.Sets {
		p.Sets = append(p.Sets, plan.PlanSet{Disjunct: set.Disjunct, Variable: slices.Index(s.Disjuncts[set.Disjunct].Variables, set.Variable)})
	}
	return p
}
