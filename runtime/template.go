package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Template is a query template with parameters P, bound to one model. The methods of generated
// types call it. It is safe for concurrent use.
type Template[P any] struct {
	query *Query
	bind  func(P) scq.Bindings
	show  []string
}

// NewTemplate returns the template of a query. bind fills the slots of its plan; show are the
// variables to show if Options.Show is nil.
func NewTemplate[P any](q *Query, bind func(P) scq.Bindings, show ...string) Template[P] {
	return Template[P]{query: q, bind: bind, show: show}
}

// Warning is Query.Warning.
func (t *Template[P]) Warning() string { return t.query.Warning() }

// Answer ranks the entities by how likely each is to be the query's free variable.
func (t *Template[P]) Answer(ctx context.Context, p P, o Options) (*Answers, error) {
	return t.query.Answer(ctx, t.bind(p), t.options(o))
}

// options fills in what the template says.
func (t *Template[P]) options(o Options) Options {
	if o.Show == nil {
		o.Show = t.show
	}
	return o
}

// AnswerBatch answers for several parameters, one result each, in order.
func (t *Template[P]) AnswerBatch(ctx context.Context, batch []P, o Options) ([]*Answers, error) {
	bindings := make([]scq.Bindings, len(batch))
	for i, p := range batch {
		bindings[i] = t.bind(p)
	}
	return t.query.AnswerBatch(ctx, bindings, t.options(o))
}

// Why explains answers, in order: by the values of the existential variables in the best
// witness, and by whether the link of each atom is observed or predicted. Without answers it
// explains those of Answer.
func (t *Template[P]) Why(ctx context.Context, p P, o Options, answers ...model.EntityID) ([]Witness, error) {
	return t.query.Why(ctx, t.bind(p), o, answers...)
}
