// Package pass holds the optimisations of the plan language.
//
// A pass is an entry in a list: a name, a sentence, and a function that rewrites the plan. The driver verifies
// the result and passes it to an observer. No pass changes the result of a plan beyond the rounding that it
// documents.
//
// Passes know only the plan language: no queries, no models, no back ends.
package pass

import "github.com/efoc/efoc/compiler/ir"

// Pass is one optimisation.
type Pass struct {
	// Name is a verb and its object.
	Name string
	// Doc says in a sentence what the pass does and why it preserves the result.
	Doc string
	// Run rewrites the plan and reports whether anything changed.
	Run func(*ir.Plan) bool
}
