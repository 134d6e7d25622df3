package shapes

import "github.com/efoc/efoc/runtime"

// Plans returns the plans of the benchmark shapes: by message passing, and by truth
// degrees.
func Plans() []*runtime.Plan {
	var plans []*runtime.Plan
	for _, p := range ShapesPlans {
		plans = append(plans, p, p.Degrees)
	}
	return plans
}
