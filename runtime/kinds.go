package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Ask answers the question for one value of each parameter. The kind of question determines which options it accepts:
// see Check. If ctx ends during a search for rows, Ask returns the rows found so far, as an incomplete reply, with
// the error.
func (q *Question) Ask(ctx context.Context, a Args, o Options) (*Reply, error) {
	o, err := q.read(o)
	if err != nil {
		return nil, err
	}
	x, err := q.asking(q.Model().Now(), a)
	if err != nil {
		return nil, err
	}
	return x.reply(ctx, o)
}

// reply answers the question for the values in x, and describes the answers.
func (x *asking) reply(ctx context.Context, o Options) (*Reply, error) {
	r, err := x.answered(ctx, o)
	if r != nil {
		x.describe(x.parts[0].model, o.Show, r)
	}
	return r, err
}

// answered answers the question for the values in x.
func (x *asking) answered(ctx context.Context, o Options) (*Reply, error) {
	first := &x.parts[0]
	switch x.spec.Kind {
	case plan.Rows:
		return x.rowsReply(ctx, o)
	case plan.Verdict:
		replies, err := x.decideAll(ctx, []*asking{x}, o)
		if err != nil {
			return nil, err
		}
		return replies[0], nil
	case plan.Count:
		n, err := first.count(ctx, first.bindings, o)
		if err != nil {
			return nil, first.fail(err)
		}
		return &Reply{Kind: plan.Count, Variables: x.spec.Variables, Semantics: n.Semantics, Count: n}, nil
	}
	return first.answer(ctx, first.bindings, o)
}

// AskAll answers the question for several values of its parameters, one reply each, in order, all on the same facts. It
// stops at the first error and names its index.
//
// Up to 64 questions for answers of one variable, or for verdicts, run together and share each sweep of the entity table;
// their workspaces take at most 512 MiB. On a small table, where that would take longer, they run one by one. Sums are
// taken in another order than by Ask, so probabilities may differ in the last bits; they do not depend on the number of
// threads. If the entity table has codes beside its rows, a batch multiplies the rows, while a single question finds the
// best answers by codes and computes them from the rows. Both agree within the tolerance of the semantics.
func (q *Question) AskAll(ctx context.Context, batch []Args, o Options) ([]*Reply, error) {
	o, err := q.read(o)
	if err != nil {
		return nil, err
	}
	if len(batch) == 0 {
		return []*Reply{}, nil
	}
	now := q.Model().Now()
	if q.spec.Kind == plan.Answers {
		bindings, err := q.fill(now, batch)
		if err != nil {
			return nil, err
		}
		replies, err := q.parts[0].at(now).answerBatch(ctx, bindings, o)
		q.describe(now.host(), o.Show, replies...)
		return replies, err
	}
	asked := make([]*asking, len(batch))
	for i, a := range batch {
		asked[i], err = q.asking(now, a)
		if err != nil {
			return nil, inBatch(i, err)
		}
	}
	if q.spec.Kind == plan.Verdict {
		return q.decideAll(ctx, asked, o)
	}
	replies := make([]*Reply, len(batch))
	for i, x := range asked {
		replies[i], err = x.reply(ctx, o)
		if err != nil {
			return nil, inBatch(i, err)
		}
	}
	return replies, nil
}

// Why explains the given answers of one variable, in order: each by the values of the existential variables in its
// best witness, with the status of each link, observed or predicted, and the confidence of predicted links. The last
// atom is the type that the question asks for, if any: it fails if the entity lacks it. Without answers it explains the ones that Ask returns. Replies
// with rows or a verdict already have witnesses; see Believe for a verdict.
func (q *Question) Why(ctx context.Context, a Args, o Options, answers ...graph.EntityID) ([]Witness, error) {
	now := q.Model().Now()
	if err := now.bundle.Hold(); err != nil {
		return nil, err
	}
	defer now.bundle.Release()
	if q.spec.Kind == plan.Rows {
		return nil, q.fail(badOption("Entities", "Why is for answers of one variable: use Ask"))
	}
	x, err := q.asking(now, a)
	if err != nil {
		return nil, err
	}
	first := &x.parts[0]
	o.Settings = q.settings(o.Settings)
	if len(answers) == 0 {
		o.SetSize = 0
		o.Show = nil
		o.NoStatus = o.Filter.Statuses == 0
		r, err := first.answer(ctx, first.bindings, o)
		if err != nil {
			return nil, err
		}
		for _, row := range r.Rows {
			answers = append(answers, row.Values[0].ID)
		}
	}
	witnesses, err := first.witnesses(ctx, first.bindings, o.Settings, answers)
	if err != nil {
		return nil, err
	}
	for i, e := range answers {
		witnesses[i].addType(now, first.limit, e)
	}
	_, err = now.believe(ctx, witnesses, LinkOptions{Semantics: &q.spec.Semantics})
	return witnesses, err
}

// read checks that the kind of question accepts the options, and completes Show and Settings.
func (q *Question) read(o Options) (Options, error) {
	err := o.checkRead(q.spec.Kind)
	if o.Show == nil {
		o.Show = q.spec.Show
	}
	o.Settings = q.settings(o.Settings)
	return o, q.fail(err)
}

// checkRead refuses options for lists of answers if the question asks for a verdict or a count.
func (o *Options) checkRead(k plan.Kind) error {
	for _, x := range []struct {
		option string
		set    bool
	}{
		{"Offset", o.Offset != 0}, {"Coverage", o.Coverage != 0}, {"Show", len(o.Show) > 0}, {"Statuses", o.Filter.Statuses != 0}, {"MinConfidence", o.Filter.MinConfidence != 0},
		{"InRange", o.Filter.InRange}, {"Type", o.Filter.Type != model.Type{} && k != plan.Count},
	} {
		if x.set && !k.Lists() {
			return badOption(x.option, "it is for answers, and the question asks %s", k.Asks())
		}
	}
	return nil
}

// Check reports options that are invalid, or that this kind of question does not accept. The error is an OptionError.
func (q *Question) Check(o Options) error {
	if err := o.checkRead(q.spec.Kind); err != nil {
		return err
	}
	o.Settings = q.settings(o.Settings)
	if q.rows != nil {
		return q.checkRowOptions(o)
	}
	_, err := q.parts[0].options(o)
	return err
}

// Bytes returns an upper bound on the memory of a search for rows, without the parts' workspaces; 0 for other kinds.
func (q *Question) Bytes() int64 {
	if q.rows == nil {
		return 0
	}
	return search.Bytes(q.Model().NumEntities(), len(q.rows.rest), len(q.rows.marginals))
}
