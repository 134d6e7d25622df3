package compiler

import (
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Plans returns plans of shapes for callers without a query: a generated plan if there is one, otherwise an
// interpreted plan, which is compiled on demand.
func Plans(generated []*plan.Plan) plan.Plans {
	cache := &stages.Cache{}
	return func(patterns []scq.Disjunct, s model.Semantics, layers int) (*plan.Plan, error) {
		shape := lower.Unnamed(patterns)
		if p := planOf(generated, shape.Key, s, layers); p != nil {
			return p, nil
		}
		c, _, err := cache.Compile(shape, stages.Options{Layers: layers, Semantics: s})
		if err != nil {
			return nil, err
		}
		return c.Interpreted()
	}
}

// planOf returns the generated plan of a shape, nil if there is none.
func planOf(generated []*plan.Plan, shape string, s model.Semantics, layers int) *plan.Plan {
	for _, p := range generated {
		if p.Shape == shape && p.Layers == layers && p.Bind == nil && p.Semantics == s {
			return p
		}
	}
	return nil
}
