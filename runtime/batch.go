package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/scq"
)

// AnswerBatch answers the query for several sets of constants and relations, one reply each, in order. Up to 64
// run together and share each sweep of the entity table; their workspaces take at most 512 MiB. It stops at the
// first error and names its index.
//
// Sums are taken in another order than by Answer, so probabilities may differ in the last
// bits; they do not depend on the number of threads. If the entity table has codes beside its
// rows, a batch multiplies the rows, while a single query finds the best answers by codes and
// computes them from the rows. Both agree within the tolerance of the semantics. Each, which scores all
// entities, reads the rows.
func (q *Query) AnswerBatch(ctx context.Context, batch []scq.Bindings, o Options) ([]*Reply, error) {
	if len(batch) == 0 {
		return []*Reply{}, nil
	}
	q = q.Snapshot()
	batch, err := q.readyBatch(batch)
	if err != nil {
		return nil, err
	}
	return q.answerBatch(ctx, batch, o)
}

// answerBatch answers several queries whose slots are filled.
func (q *Query) answerBatch(ctx context.Context, batch []scq.Bindings, o Options) ([]*Reply, error) {
	o, err := q.options(o)
	if err != nil {
		return nil, q.fail(err)
	}
	results := make([]*Reply, len(batch))
	failed, err := q.bound.Each(ctx, batch, q.want(o), func(i int, r run.Result) (err error) {
		results[i], err = q.reply(ctx, batch[i], o, r)
		return err
	})
	switch {
	case err != nil && failed >= 0:
		return nil, inBatch(failed, q, err)
	case err != nil:
		return nil, q.fail(err)
	}

	for i, b := range batch {
		if err := q.show(ctx, b, o, results[i]); err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return results, nil
}
