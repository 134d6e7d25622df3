package shapes

import (
	"slices"

	"github.com/efoc/efoc/codegen/shapes/mixed"
	"github.com/efoc/efoc/runtime/plan"
)

// Plans returns the plans of the benchmark shapes: by message passing, by truth degrees,
// and by the mixture of both.
func Plans() []*plan.Plan {
	plans := slices.Concat(ShapesPlans, mixed.ShapesPlans)
	for _, p := range ShapesPlans {
		plans = append(plans, p.Degrees)
	}
	return plans
}
