package compiler

import (
	"context"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// Witnesses returns the best witness for each of the answers by truth degrees, in
// order. It explains the answers of any semantics, with the variables' names of the
// query.
func (p *Prepared) Witnesses(ctx context.Context, b runtime.Bindings, s runtime.Settings, answers []runtime.EntityID) ([]fit.Witness, error) {
	compiled, _, err := p.cache.Compile(p.Shape, CompileOptions{Semantics: runtime.FIT})
	if err != nil {
		return nil, err
	}
	plan, err := compiled.interpreted(EngineInterpreted)
	if err != nil {
		return nil, err
	}
	q, err := runtime.NewQuery(p.Query.Model(), plan, p.names())
	if err != nil {
		return nil, err
	}
	return fit.Witnesses(ctx, q, b, &s, answers)
}
