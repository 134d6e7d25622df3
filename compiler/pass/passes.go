package pass

import (
	"fmt"
	goruntime "runtime"

	"github.com/efoc/efoc/compiler/ir"
)

// Default is the list of passes, in order.
func Default() []Pass {
	return []Pass{ReadRows, numberValues, PruneDead, narrowPushes, fuseSweeps, deferReadout}
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
