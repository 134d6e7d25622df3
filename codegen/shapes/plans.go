package shapes

import (
	"github.com/efoc/efoc/runtime/query"
)

// Plans returns the plans of the benchmark shapes: by message passing, by truth degrees,
// and by the mixture, which runs both of these.
func Plans() []*query.Plan {
	var plans []*query.Plan
	for _, p := range ShapesPlans {
		plans = append(plans, p, p.Degrees, query.NewMixture(p))
	}
	return plans
}
