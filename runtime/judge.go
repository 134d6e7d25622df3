package runtime

import (
	"cmp"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
)

// Judge returns the given entities as answers, in that order and of any rank, with score, status and
// confidence. It uses only Budget and HeldOut of the options.
func (x *Run) Judge(o Options, entities []model.EntityID) (*Reply, error) {
	o, err := x.options(Options{Budget: o.Budget, HeldOut: o.HeldOut})
	if err != nil {
		return nil, err
	}
	ctx := x.ctx
	q := x.query
	answer := x.Scores()
	r := q.newReply()
	c := q.newChecker(ctx, x.bindings, o)
	c.confidence, r.Uncalibrated = q.newConfidence(ctx, x.bindings, o, q.findLinks(x.result))
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
