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
	results := make([]*Reply, len(batch))
	if len(batch) == 0 {
		return results, nil
	}
	q = q.Snapshot()
	for i, b := range batch {
		var err error
		o, err = q.check(b, o)
		if err != nil {
			return nil, inBatch(i, q, err)
		}
	}

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
		results[i], err = q.shown(ctx, b, o, results[i], nil)
		if err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return results, nil
}
