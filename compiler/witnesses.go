package compiler

import (
	"context"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Witnesses returns the best witness of each answer by truth degrees, in order. It explains
// answers of any semantics, with the query's variable names.
func (p *Prepared) Witnesses(ctx context.Context, b scq.Bindings, s model.Settings, answers []model.EntityID) ([]runtime.Witness, error) {
	q, err := p.degrees()
	if err != nil {
		return nil, err
	}
	return q.Witnesses(ctx, b, &s, answers)
}

// Show sets the values of variables beside answers, as runtime.Query.Show does, for any
// semantics.
func (p *Prepared) Show(ctx context.Context, b scq.Bindings, s model.Settings, r *runtime.Reply, variables []string) error {
	if len(variables) == 0 {
		return nil
	}
	q, err := p.degrees()
	if err != nil {
		return err
	}
	return q.Show(ctx, b, &s, r, variables)
}

// newDegrees binds the plan for truth degrees.
func (p *Prepared) newDegrees() (*runtime.Query, error) {
	made, err := p.degreesPlan()
	if err != nil {
		return nil, err
	}
	return runtime.New(p.Query.Model(), made, p.names())
}

// degreesPlan returns the plan for truth degrees.
func (p *Prepared) degreesPlan() (*plan.Plan, error) {
	compiled, _, err := p.cache.Compile(p.Shape, CompileOptions{Semantics: model.FIT})
	if err != nil {
		return nil, err
	}
	return compiled.Interpreted()
}
