package runtime

import (
	"context"
	"slices"
	"sync"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Scored is an entity with its score as an answer.
type Scored = top.Ranked

// Best appends the k best answers for one value of each parameter to dst[:0], best first, ties by ascending id: the
// entities and scores that Ask returns, without names, statuses and confidences. If dst has room, Best allocates
// nothing in main memory unless the question has filters or asks for a type. It supports questions with one answer
// variable only.
func (q *Question) Best(ctx context.Context, a Args, k int, dst []Scored) ([]Scored, error) {
	if q.spec.Kind != plan.Answers {
		return nil, q.fail(badOption("K", "Best is for answers of one variable: use Ask"))
	}
	if k < 1 {
		return nil, q.fail(badOption("K", "want a positive number of answers, not %d", k))
	}
	if q.ids.Type != (model.Type{}) {
		return q.bestOfType(ctx, a, k, dst)
	}
	now := q.Model().Now()
	if err := q.checkArgs(now, a); err != nil {
		return nil, err
	}
	part := q.parts[0].at(now)
	s := part.possible(q.settings(nil))
	if err := part.checkLayers(s); err != nil {
		return nil, q.fail(err)
	}
	if last := q.valid.Load(); last == nil || *last != *s {
		if err := s.Validate(); err != nil {
			return nil, q.fail(badOption("Settings", "%v", err))
		}
		valid := *s
		q.valid.Store(&valid)
	}

	b := bestCalls.Get().(*bestCall)
	q.spec.Parts[0].Bind(&b.batch[0], q.ids, a, q.open, q.selections(now, a))
	b.dst = dst[:0]
	_, err := part.bound.Each(ctx, b.batch[:], run.Want{Settings: *s, Best: min(k, now.NumEntities())}, b.use)
	if err != nil { // another goroutine may still use b
		return nil, q.fail(err)
	}
	dst = slices.DeleteFunc(b.dst, func(x Scored) bool {
		return x.Score == 0 && scq.Excludes(part.bound.Plan.Disjuncts, b.batch[0], x.Entity)
	})
	b.dst = nil
	b.batch[0].Filters = nil
	bestCalls.Put(b)
	return dst, nil
}

// bestOfType is Best for a question that asks for a type.
func (q *Question) bestOfType(ctx context.Context, a Args, k int, dst []Scored) ([]Scored, error) {
	reply, err := q.Ask(ctx, slices.Clone(a), Options{K: k, NoStatus: true, Show: []string{}})
	if err != nil {
		return nil, err
	}
	dst = dst[:0]
	for _, row := range reply.Rows {
		dst = append(dst, Scored{Entity: row.Values[0].ID, Score: row.Score})
	}
	return dst, nil
}

// bestCall is the state of a call of Best. Calls are pooled, so that Best does not allocate.
type bestCall struct {
	batch [1]scq.Bindings
	dst   []Scored
	use   func(i int, r run.Result) error // take
}

var bestCalls = sync.Pool{New: func() any {
	b := &bestCall{}
	b.use = b.take
	return b
}}

// take appends the best answers of a run to dst.
func (b *bestCall) take(_ int, r run.Result) error {
	b.dst = append(b.dst, r.Best().Answer...)
	return nil
}
