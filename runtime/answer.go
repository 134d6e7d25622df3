package runtime

import (
	"context"
	"sync"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Answer answers the query for one set of constants and relations.
func (q *Query) Answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
	q = q.Snapshot()
	opts, err := q.check(b, o)
	if err != nil {
		return nil, q.fail(err)
	}
	result, err := q.answer(ctx, b, opts)
	return q.shown(ctx, b, opts, result, err)
}

// answer answers one query.
func (q *Query) answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
	c := newCall(ctx, q, nil, o)
	c.single[0] = b
	_, err := q.bound.Each(ctx, c.single[:], q.want(o), c.take)
	if err != nil {
		return nil, err
	}
	r := c.reply
	c.end()
	return r, nil
}

// Why explains the given answers, or else the K best under the options, in order.
func (q *Query) Why(ctx context.Context, b scq.Bindings, o Options, answers ...model.EntityID) ([]Witness, error) {
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

// Each runs the plan for each of a batch, and calls use once for each with the run, possibly concurrently.
// A batch of several runs together as AnswerBatch does. nil settings are the model's for the shape. It stops at
// the first error, and names its index if there are several.
func (q *Query) Each(ctx context.Context, batch []scq.Bindings, s *model.Settings, use func(i int, r *Run) error) error {
	if len(batch) == 0 {
		return nil
	}
	q = q.Snapshot()
	o, err := q.checkAll(batch, s)
	if err != nil {
		return err
	}
	c := newCall(ctx, q, batch, o)
	c.use = use
	failed, err := q.bound.Each(ctx, batch, run.Want{Settings: *o.Settings}, c.pass)
	if err != nil {
		return q.failIn(batch, failed, err)
	}
	c.end()
	return nil
}

// call is a call of Each or Answer. Calls and runs are used again, so that running a plan allocates nothing; after
// an error they are not, because a fault may leave somebody at work.
type call struct {
	ctx     context.Context
	query   *Query
	batch   []scq.Bindings
	single  [1]scq.Bindings // the batch of Answer
	options Options

	use  func(i int, r *Run) error       // of Each
	pass func(i int, r run.Result) error // passRun

	reply *Reply                          // of Answer
	take  func(i int, r run.Result) error // takeReply
}

var (
	calls = sync.Pool{New: func() any {
		c := &call{}
		c.pass = c.passRun
		c.take = c.takeReply
		return c
	}}
	runs = sync.Pool{New: func() any { return &Run{} }}
)

// newCall returns a call.
func newCall(ctx context.Context, q *Query, batch []scq.Bindings, o Options) *call {
	c := calls.Get().(*call)
	c.ctx = ctx
	c.query = q
	c.batch = batch
	c.options = o
	return c
}

// end lets the call be used again.
func (c *call) end() {
	*c = call{pass: c.pass, take: c.take}
	calls.Put(c)
}

// passRun passes a run on.
func (c *call) passRun(i int, result run.Result) error {
	r := runs.Get().(*Run)
	*r = Run{c.query, c.ctx, c.batch[i], c.options.Settings, result}
	err := c.use(i, r)
	*r = Run{}
	runs.Put(r)
	return err
}

// takeReply names the answers that a run found.
func (c *call) takeReply(_ int, result run.Result) (err error) {
	c.reply, err = c.query.reply(c.ctx, c.single[0], c.options, result)
	return err
}
