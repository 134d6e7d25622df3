package shapes

import (
	"github.com/efoc/efoc/runtime/query"
)

// Plans returns the plans of the benchmark shapes: by message passing, and by truth
// degrees.
func Plans() []*query.Plan {
	var plans []*query.Plan
	for _, p := range ShapesPlans {
		plans = append(plans, p, p.Degrees)
	}
	return plans
}
