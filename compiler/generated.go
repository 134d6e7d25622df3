package compiler

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// planOf returns the generated plan of a shape, nil if there is none.
func planOf(generated []*plan.Plan, shape string, s model.Semantics, layers int) *plan.Plan {
	for _, p := range generated {
		if p.Shape == shape && p.Layers == layers && p.Semantics == s {
			return p
		}
	}
	return nil
}
