package compiler

import (
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// Witnesses returns the best witness for each of the answers by truth degrees, in
// order. It explains the answers of any semantics, with the variables' names of the
// query.
func (p *Prepared) Witnesses(ctx context.Context, b scq.Bindings, s model.Settings, answers []model.EntityID) ([]query.Witness, error) {
	compiled, _, err := p.cache.Compile(p.Shape, CompileOptions{Semantics: model.FIT})
	if err != nil {
		return nil, err
	}
	plan, err := compiled.interpreted(EngineInterpreted)
	if err != nil {
		return nil, err
	}
	q, err := query.New(p.Query.Model(), plan, p.names())
	if err != nil {
		return nil, err
	}
	return q.Witnesses(ctx, b, &s, answers)
}
