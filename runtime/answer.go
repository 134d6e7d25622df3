package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Answer answers the query for one set of constants and relations.
func (q *Query) Answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
	q = q.Snapshot()
	b, err := q.ready(b)
	if err != nil {
		return nil, q.fail(err)
	}
	return q.answer(ctx, b, o)
}

// answer answers one query whose slots are filled.
func (q *Query) answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
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

// Why explains the given answers, or else the K best under the options, in order.
func (q *Query) Why(ctx context.Context, b scq.Bindings, o Options, answers ...graph.EntityID) ([]Witness, error) {
	q = q.Snapshot()
	if len(answers) == 0 {
		o.SetSize, o.Show, o.NoStatus = 0, nil, o.Filter.Statuses == 0
		r, err := q.Answer(ctx, b, o)
		if err != nil {
			return nil, err
		}
		for _, row := range r.Rows {
			answers = append(answers, row.Values[0].ID)
		}
	}
	return q.Witnesses(ctx, b, o.Settings, answers)
}
