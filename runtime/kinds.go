package runtime

import (
	"cmp"
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Ask answers the question.
func (q *Question) Ask(ctx context.Context, a Args, o Options) (*Reply, error) {
	if err := cmp.Or(q.CheckArgs(a), q.fail(o.checkRead(q.spec.Kind))); err != nil {
		return nil, err
	}
	if o.Show == nil {
		o.Show = q.spec.Show
	}
	now := q.Model().Now()
	first := q.parts[0].at(now)
	switch q.spec.Kind {
	case plan.Rows:
		return q.askRows(ctx, a, o)
	case plan.Verdict:
		replies, err := q.decideAll(ctx, []Args{a}, o)
		if err != nil {
			return nil, err
		}
		return replies[0], nil
	case plan.Count:
		n, err := first.Count(ctx, q.bindings(now, 0, a), o)
		if err != nil {
			return nil, err
		}
		return &Reply{Kind: plan.Count, Variables: q.spec.Variables, Semantics: n.Semantics, Count: n}, nil
	}
	return first.Answer(ctx, q.bindings(now, 0, a), o)
}

// AskAll answers the question for several values of its parameters, one reply each, in order. Answers of one
// variable run together as Query.AnswerBatch says, and so do verdicts.
func (q *Question) AskAll(ctx context.Context, batch []Args, o Options) ([]*Reply, error) {
	if err := o.checkRead(q.spec.Kind); err != nil {
		return nil, q.fail(err)
	}
	for i, a := range batch {
		if err := q.CheckArgs(a); err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	switch q.spec.Kind {
	case plan.Answers:
		if o.Show == nil {
			o.Show = q.spec.Show
		}
		now := q.Model().Now()
		bindings := make([]scq.Bindings, len(batch))
		for i, a := range batch {
			bindings[i] = q.bindings(now, 0, a)
		}
		return q.parts[0].at(now).AnswerBatch(ctx, bindings, o)
	case plan.Verdict:
		return q.decideAll(ctx, batch, o)
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
	now := q.Model().Now()
	return q.parts[0].at(now).Why(ctx, q.bindings(now, 0, a), o, answers...)
}

// checkRead reports an option for lists of answers if a question of a kind asks for none.
func (o *Options) checkRead(k plan.Kind) error {
	for _, x := range []struct {
		option string
		set    bool
	}{
		{"Offset", o.Offset != 0}, {"Show", len(o.Show) > 0}, {"Statuses", o.Filter.Statuses != 0}, {"MinConfidence", o.Filter.MinConfidence != 0},
		{"InRange", o.Filter.InRange}, {"Type", o.Filter.Type != model.Type{} && k != plan.Count},
	} {
		if x.set && !k.Lists() {
			return badOption(x.option, "it is for answers, and the question asks %s", k.Asks())
		}
	}
	return nil
}

// Check reports options that the question cannot be answered with, or that are for another kind of question. The
// error is an OptionError.
func (q *Question) Check(o Options) error {
	if err := o.checkRead(q.spec.Kind); err != nil {
		return err
	}
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
