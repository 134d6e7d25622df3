// Package pass holds the optimisations of the plan language.
//
// A pass is an entry in a list: a name, a sentence, and a function that rewrites the plan. The driver verifies
// the result and passes it to an observer. No pass changes the result of a plan beyond the rounding that it
// documents.
//
// Passes know only the plan language: no queries, no models, no back ends.
package pass

import (
	"fmt"
	goruntime "runtime"

	"github.com/efoc/efoc/compiler/ir"
)

// Pass is one optimisation.
type Pass struct {
	// Name is a verb and its object.
	Name string
	// Doc says in a sentence what the pass does and why it preserves the result.
	Doc string
	// Run rewrites the plan and reports whether anything changed.
	Run func(*ir.Plan) bool
}

// Default is the list of passes, in order.
func Default() []Pass {
	share, fuse := Stages()
	return append(share, fuse...)
}

// Stages splits the passes of Default into those that decide which values are computed and those that assign
// values to sweeps of the table. A plan can be split between the two.
func Stages() (share, fuse []Pass) {
	return []Pass{ReadRows, numberValues, PruneDead, narrowPushes}, []Pass{fuseSweeps, deferReadout}
}

// Observer receives a plan after each pass, and whether the pass changed it.
type Observer func(ran Pass, changed bool, p *ir.Plan)

// Run applies the passes to the plan in order. After each pass it verifies the plan and calls observe, which
// may be nil. An error is a fault of a pass.
func Run(p *ir.Plan, passes []Pass, observe Observer) error {
	for _, ps := range passes {
		goruntime.Gosched() // lets a server answer short questions meanwhile
		changed := ps.Run(p)
		if err := p.Verify(); err != nil {
			return fmt.Errorf("internal error: pass %s: %w", ps.Name, err)
		}
		if observe != nil {
			observe(ps, changed, p)
		}
	}
	return nil
}
