package connect

import (
	"context"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// each is the number of predicted links per entity and relation.
const each = 8

// maxDegree bounds the degree of a predicted link: see package fit.
const maxDegree = 0.9999

// predictor finds predicted links of entities.
type predictor struct {
	m        *runtime.Model
	expanded int // entities searched, besides the end
}

// links returns the best predicted links from an entity by each plausible relation, to entities that are tails of the
// relation in the graph.
func (p *predictor) links(ctx context.Context, e graph.EntityID) ([]link, error) {
	p.expanded++
	var questions []runtime.LinkQuestion
	for _, r := range Plausible(p.m, e) {
		questions = append(questions, runtime.LinkQuestion{Head: e, Relation: r})
	}
	o := runtime.LinkOptions{Semantics: new(model.FIT)}
	o.K = each
	o.Filter = runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed, InRange: true}
	answers, err := p.m.Links(ctx, questions, o)
	if err != nil {
		return nil, err
	}
	var found []link
	for i, a := range answers {
		for _, x := range a.Rows {
			other := x.Values[0].ID
			if x.Score > 0 && other != e {
				found = append(found, link{e, other, questions[i].Relation, false, x.Score})
			}
		}
	}
	return found, nil
}
