package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/scq"
)

// Asked is a query with the values of its slots.
type Asked struct {
	Query    *Query
	Bindings scq.Bindings
}

// AnswerBatch answers questions of one plan on one model, one result each, in order, with the
// names of each question's query. Up to 64 run together and share each pass over the entity
// table; their workspaces take at most 512 MiB. It stops at the first error and names its
// index.
//
// Sums are taken in another order than by Query.Answer, so probabilities may differ in the last
// bits; they do not depend on the number of threads. If the entity table has codes beside its
// rows, a batch multiplies the rows, while a single query finds the best answers by codes and
// computes them from the rows. Both agree within the tolerance of the semantics. Each, which scores all
// entities, reads the rows.
func AnswerBatch(ctx context.Context, batch []Asked, o Options) ([]*Reply, error) {
	batch = snapshots(batch)
	results, err := answerBatch(ctx, batch, &o)
	if err != nil {
		return nil, err
	}
	for i, x := range batch {
		results[i], err = x.Query.shown(ctx, x.Bindings, o, results[i], nil)
		if err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return results, nil
}

// snapshots returns the questions with queries on the facts as they are now, the same for
// all of a model.
func snapshots(batch []Asked) []Asked {
	if len(batch) == 0 {
		return nil
	}
	now := batch[0].Query.Snapshot().model
	all := make([]Asked, len(batch))
	for i, x := range batch {
		if q := x.Query; !q.fixed && q.bound.Here() && q.model.shared == now.shared {
			x.Query = q.on(now)
		}
		all[i] = x
	}
	return all
}

// answerBatch is AnswerBatch without the values of variables. It fills in the options.
func answerBatch(ctx context.Context, batch []Asked, options *Options) ([]*Reply, error) {
	results := make([]*Reply, len(batch))
	if len(batch) == 0 {
		return results, nil
	}
	o := *options
	first := batch[0].Query
	bindings := make([]scq.Bindings, len(batch))
	for i, x := range batch {
		if x.Query.bound != first.bound {
			return nil, inBatch(i, x.Query, errors.New("it has another plan, or another model, than query 0: answer it apart"))
		}
		var err error
		o, err = x.Query.check(x.Bindings, o)
		if err != nil {
			return nil, inBatch(i, x.Query, err)
		}
		bindings[i] = x.Bindings
	}
	*options = o

	want := first.want(o)
	if i := slices.IndexFunc(batch, func(x Asked) bool { return x.Query.want(o).More }); i > 0 {
		want = batch[i].Query.want(o)
	}
	failed, err := first.bound.Each(ctx, bindings, want, func(i int, r run.Result) (err error) {
		results[i], err = batch[i].Query.reply(ctx, bindings[i], o, r)
		return err
	})
	switch {
	case err == nil:
		return results, nil
	case failed >= 0:
		return nil, inBatch(failed, batch[failed].Query, err)
	case slices.ContainsFunc(batch, func(x Asked) bool { return x.Query.names.Query != first.names.Query }):
		return nil, err // of the batch as a whole
	}
	return nil, first.fail(err)
}

// AnswerBatch answers the query for several sets of constants and relations, as the function
// AnswerBatch does.
func (q *Query) AnswerBatch(ctx context.Context, batch []scq.Bindings, o Options) ([]*Reply, error) {
	questions := make([]Asked, len(batch))
	for i, b := range batch {
		questions[i] = Asked{q, b}
	}
	return AnswerBatch(ctx, questions, o)
}
