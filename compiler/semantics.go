package compiler

import (
	"context"

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
		o.Rows = fit.RowsOf(m)
	}
	p.rows = o.Rows
	return fit.Plan(o.Rows, plan, p.Semantics)
}

// Witnesses returns the best witness for each of the answers by truth degrees, in
// order. It explains the answers of any semantics, with the variables' names of the
// query.
func (p *Prepared) Witnesses(ctx context.Context, b runtime.Bindings, s runtime.Settings, answers []runtime.EntityID) ([]fit.Witness, error) {
	witnesses, err := fit.New(p.rows, p.Compiled.Patterns()).Witnesses(ctx, b, s.Degrees, answers)
	if err != nil {
		return nil, err
	}
	for i := range witnesses {
		w := &witnesses[i]
		for v := range w.Values {
			w.Values[v].Variable = p.Shape.SCQs[w.SCQ].Variables[v+1].Source
		}
	}
	return witnesses, nil
}
