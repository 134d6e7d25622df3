package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Question is a question of any kind, bound to a model: see Model.Bind. Each Ask uses the model's facts as of
// then. It is safe for concurrent use.
type Question struct {
	model *Model
	spec  *plan.Spec
	ids   *plan.IDs
	parts []*Query
	rows  *rowParts // of plan.Rows, otherwise nil
}

// Args are the values of the parameters of a question, in order: ids of entities, and of directed relations.
type Args []int32

// Spec returns the question as data.
func (q *Question) Spec() *plan.Spec { return q.spec }

// Model returns the model that the question is bound to, in main memory.
func (q *Question) Model() *Model { return q.parts[0].model }

// Part returns the query that runs a part.
func (q *Question) Part(i int) *Query { return q.parts[i] }

// Warning says that the model prefers another semantics than the question's, because it was best on the validation
// queries or is the default, and what to do. It is empty if they agree.
func (q *Question) Warning() string { return q.parts[0].warning(q.spec.Semantics) }

// Uncalibrated says why answers by some settings have no confidence; it is empty if they have one.
func (q *Question) Uncalibrated(s *model.Settings) string {
	_, why := judge.Calibration(q.Model().Model, q.spec.Semantics, s)
	return why
}

// Check reports options that the question cannot be answered with.
func (q *Question) Check(o Options) error {
	if q.rows != nil {
		return q.checkRowOptions(o)
	}
	_, err := q.parts[0].options(o)
	return err
}

// Bytes bounds the memory of a search for rows, beside the workspaces of the parts; it is 0 for other kinds.
func (q *Question) Bytes() int64 {
	if q.rows == nil {
		return 0
	}
	return search.Bytes(q.Model().NumEntities(), len(q.rows.rest), len(q.rows.marginals))
}

// CheckArgs reports values of parameters that the model lacks. The error is a ParamError, unless their number is
// wrong.
func (q *Question) CheckArgs(a Args) error {
	if len(a) != len(q.spec.Params) {
		return q.fail(fmt.Errorf("there are %d parameters, got %d values", len(q.spec.Params), len(a)))
	}
	m := q.model.Now()
	for i, p := range q.spec.Params {
		kind := "entity"
		size := m.NumEntities()
		if p.Kind == plan.RelationParam {
			kind = "relation"
			size = m.NumRelations()
		}
		if a[i] < 0 || int(a[i]) >= size {
			return q.fail(&ParamError{p.Name, kind, int(a[i]), size})
		}
	}
	return nil
}

// PartBindings fills the slots of a part with the names in the question and the values of its parameters, which have
// been checked. Slots for answer variables before the part's own are left open.
func (q *Question) PartBindings(part int, a Args) scq.Bindings {
	return q.spec.Parts[part].Bindings(q.ids, a, q.open())
}

// open returns the placeholders of the answer variables.
func (q *Question) open() (values []model.EntityID) {
	for v := range q.spec.Variables {
		values = append(values, search.Placeholder(v))
	}
	return values
}

// Ask answers the question.
func (q *Question) Ask(ctx context.Context, a Args, o Options) (*Reply, error) {
	if err := q.CheckArgs(a); err != nil {
		return nil, err
	}
	if o.Show == nil {
		o.Show = q.spec.Show
	}
	switch q.spec.Kind {
	case plan.Rows:
		return q.askRows(ctx, a, o)
	case plan.Verdict:
		v, err := q.decide(ctx, a, o)
		if err != nil {
			return nil, err
		}
		return &Reply{Kind: plan.Verdict, Semantics: v.Semantics, Verdict: v}, nil
	case plan.Count:
		n, err := q.parts[0].Count(ctx, q.PartBindings(0, a), o)
		if err != nil {
			return nil, err
		}
		return &Reply{Kind: plan.Count, Variables: q.spec.Variables, Semantics: n.Semantics, Count: n}, nil
	}
	return q.parts[0].Answer(ctx, q.PartBindings(0, a), o)
}

// AskAll answers the question for several values of its parameters, one reply each, in order. Answers of one
// variable run together as in AnswerBatch.
func (q *Question) AskAll(ctx context.Context, batch []Args, o Options) ([]*Reply, error) {
	if q.spec.Kind == plan.Answers {
		if o.Show == nil {
			o.Show = q.spec.Show
		}
		bindings := make([]scq.Bindings, len(batch))
		for i, a := range batch {
			if err := q.CheckArgs(a); err != nil {
				return nil, fmt.Errorf("query %d of the batch: %w", i, err)
			}
			bindings[i] = q.PartBindings(0, a)
		}
		return q.parts[0].AnswerBatch(ctx, bindings, o)
	}
	replies := make([]*Reply, len(batch))
	for i, a := range batch {
		var err error
		replies[i], err = q.Ask(ctx, a, o)
		if err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return replies, nil
}

// Why explains answers of one variable, in order: by the values of the existential variables in the best witness, and
// by whether the link of each atom is observed or predicted. Without answers it explains the ones that Ask
// returns. Rows and verdicts have their witnesses themselves.
func (q *Question) Why(ctx context.Context, a Args, o Options, answers ...model.EntityID) ([]Witness, error) {
	if err := q.CheckArgs(a); err != nil {
		return nil, err
	}
	return q.parts[0].Why(ctx, q.PartBindings(0, a), o, answers...)
}

// fail returns the error, if there is one, with the question's name.
func (q *Question) fail(err error) error {
	if err == nil || q.spec.Name == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", q.spec.Name, err)
}
