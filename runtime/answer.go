package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/scq"
)

// answer runs the plan for one set of bindings and returns the reply.
func (q *query) answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
	o, err := q.options(o)
	if err != nil {
		return nil, q.fail(err)
	}
	c := newCall(ctx, q, nil, o)
	c.single[0] = b
	_, err = q.bound.Each(ctx, c.single[:], q.want(o), c.take)
	if err != nil {
		return nil, q.fail(err)
	}
	r := c.reply
	c.end()
	if err := q.show(ctx, b, o, r); err != nil {
		return nil, err
	}
	return r, nil
}

// answerBatch runs the plan for several sets of bindings together and returns a reply for each.
func (q *query) answerBatch(ctx context.Context, batch []scq.Bindings, o Options) ([]*Reply, error) {
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
		return nil, inBatch(failed, q.fail(err))
	case err != nil:
		return nil, q.fail(err)
	}

	for i, b := range batch {
		if err := q.show(ctx, b, o, results[i]); err != nil {
			return nil, inBatch(i, err)
		}
	}
	return results, nil
}
