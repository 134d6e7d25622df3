package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/scq"
)

// Count estimates how many answers the query has. It uses only Settings, Budget, HeldOut and
// Filter.Type of the options.
func (q *Query) Count(ctx context.Context, b scq.Bindings, o Options) (*Count, error) {
	q = q.Snapshot()
	if q.model.Split() {
		return nil, q.fail(ErrNeedsWhole)
	}
	o, err := q.check(b, o.ofCount())
	if err != nil {
		return nil, q.fail(err)
	}
	j := q.judge(ctx, b, o)
	known, err := j.AllKnown()
	if err != nil {
		return nil, q.fail(err)
	}
	var n *Count
	err = q.Each(ctx, []scq.Bindings{b}, o.Settings, func(_ int, r *Run) (err error) {
		n, err = r.count(j, known)
		return err
	})
	return n, err
}

// Count estimates how many answers the query has, given the known ones in ascending order. It uses only Budget,
// HeldOut and Filter.Type of the options.
func (r *Run) Count(o Options, known []int32) (*Count, error) {
	o, err := r.options(o.ofCount())
	if err != nil {
		return nil, err
	}
	return r.count(r.query.judge(r.ctx, r.bindings, o), known)
}

// count is Count by a judge of the question.
func (r *Run) count(j *judge.Judge, known []int32) (*Count, error) {
	n, err := j.Count(&r.result, known)
	if err != nil {
		return nil, err
	}
	q := r.query
	return &Count{
		Variable: q.names.Variables[0][0], Known: n.Known, Missing: n.Missing, Low: n.Low, High: n.High,
		Uncalibrated: n.Uncalibrated, Semantics: q.bound.Plan.Semantics,
	}, nil
}

// ofCount returns the options that a count uses.
func (o *Options) ofCount() Options {
	return Options{Settings: o.Settings, Budget: o.Budget, HeldOut: o.HeldOut, Filter: Filter{Type: o.Filter.Type}}
}
