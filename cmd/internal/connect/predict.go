package connect

import (
	"context"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// each is how many predicted links of an entity by one relation are looked at.
const each = 8

// maxDegree bounds the degree of a predicted link: see package fit.
const maxDegree = 0.9999

// predictor finds predicted links of entities.
type predictor struct {
	m *runtime.Model
	// one asks for what a relation leads to from an entity.
	one      *runtime.Query
	expanded int // entities that were looked at, beside the end
}

// newPredictor compiles the question.
func newPredictor(m *runtime.Model) (*predictor, error) {
	q, err := benchmark.Query("1p")
	if err != nil {
		return nil, err
	}
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.FIT)})
	if err != nil {
		return nil, err
	}
	return &predictor{m: m, one: p.Query, expanded: -1}, nil
}

// links returns the best predicted links of an entity by each plausible relation, with entities at
// their other ends that the relation has there in the graph.
func (p *predictor) links(ctx context.Context, e graph.EntityID) ([]link, error) {
	p.expanded++
	var batch []scq.Bindings
	relations := Plausible(p.m, e)
	for _, r := range relations {
		batch = append(batch, scq.Bindings{Constants: []graph.EntityID{e}, Relations: []graph.RelationID{r}})
	}
	if len(batch) == 0 {
		return nil, nil
	}
	answers, err := p.one.AnswerBatch(ctx, batch, runtime.Options{K: each,
		Filter: runtime.Filter{Statuses: runtime.Predicted | runtime.Confirmed, InRange: true}})
	if err != nil {
		return nil, err
	}
	var found []link
	for i, a := range answers {
		for _, x := range a.Rows {
			other := x.Values[0].ID
			if x.Score > 0 && other != e {
				found = append(found, link{e, other, relations[i], false, x.Score})
			}
		}
	}
	return found, nil
}
