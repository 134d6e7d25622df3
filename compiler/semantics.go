package compiler

import (
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// EngineDegrees computes truth degrees: it runs whatever has fit.FIT's semantics,
// and cannot be chosen for anything else.
const EngineDegrees Engine = "degrees"

// interpret returns the plan that answers under the semantics that is asked for;
// plan passes messages.
func (p *Prepared) interpret(m *runtime.Model, plan *runtime.Plan, o PrepareOptions) (*runtime.Plan, error) {
	p.Semantics = o.Semantics
	switch p.Semantics {
	case "":
		p.Semantics = fit.NSMP
	case fit.FIT:
		p.Engine = EngineDegrees
	}
	if o.Rows == nil {
		o.Rows = fit.NewRows(m, 0)
	}
	return fit.Plan(o.Rows, plan, p.Semantics)
}
