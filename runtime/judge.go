package runtime

import (
	"cmp"
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Judge returns the given entities as answers, in that order and of any rank, with score, status and
// confidence. It uses only Settings, Budget and HeldOut of the options. use gets the scores of all
// entities, which are overwritten after it returns.
func (q *Query) Judge(ctx context.Context, b scq.Bindings, o Options, entities []model.EntityID, use func(scores plan.Vector) error) (r *Reply, err error) {
	q = q.Snapshot()
	if o, err = q.check(b, Options{Settings: o.Settings, Budget: o.Budget, HeldOut: o.HeldOut}); err != nil {
		return nil, q.fail(err)
	}
	err = q.scoresBatch(ctx, []scq.Bindings{b}, o.Settings, func(_ int, answer plan.Vector, _ []plan.Vector, find linkFinder) error {
		if err := use(answer); err != nil {
			return err
		}
		r, err = q.judge(ctx, b, o, find, answer, entities)
		return err
	})
	return r, err
}

func (q *Query) judge(ctx context.Context, b scq.Bindings, o Options, find linkFinder, answer plan.Vector, entities []model.EntityID) (*Reply, error) {
	r := q.newReply()
	c := q.newChecker(ctx, b, o)
	c.confidence, r.Uncalibrated = q.newConfidence(ctx, b, o, find)
	c.decide(entities)
	found := make([]finding, len(entities))
	for i, e := range entities {
		found[i] = finding{entity: e, score: answer[e], status: c.status(e), outOfRange: c.outOfRange(e)}
	}
	for e := range rank.Descending(answer) {
		if !c.seeks() {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !c.excluded(e.Entity) {
			c.see(e, c.status(e.Entity))
		}
	}
	why, err := c.judgeAll(ctx, found)
	r.Uncalibrated = cmp.Or(r.Uncalibrated, why)
	r.Rows = q.rows(r.Variables[0], found)
	return r, cmp.Or(err, ctx.Err())
}
