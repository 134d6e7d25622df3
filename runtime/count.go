package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/scq"
)

// count estimates the number of answers to a query whose slots are filled. It reads only Settings, Budget, HeldOut
// and Filter.Type of the options.
func (q *query) count(ctx context.Context, b scq.Bindings, o Options) (n *Count, err error) {
	if q.model.Split() {
		return nil, ErrNeedsWhole
	}
	o, err = q.options(o.ofCount())
	if err != nil {
		return nil, err
	}
	j := q.judge(ctx, b, o)
	known, err := j.AllKnown()
	if err != nil {
		return nil, err
	}
	_, err = q.bound.Each(ctx, []scq.Bindings{b}, run.Want{Settings: *o.Settings}, func(_ int, r run.Result) (err error) {
		n, err = q.counted(j, &r, known)
		return err
	})
	return n, err
}

// Count estimates the number of answers to the query, given the known ones in ascending order. It reads only Budget,
// HeldOut and Filter.Type of the options.
func (r *Run) Count(o Options, known []int32) (*Count, error) {
	o, err := r.options(o.ofCount())
	if err != nil {
		return nil, err
	}
	return r.query.counted(r.query.judge(r.ctx, r.bindings, o), &r.result, known)
}

// counted returns the count by a judge, given the known answers.
func (q *query) counted(j *judge.Judge, r *run.Result, known []int32) (*Count, error) {
	n, err := j.Count(r, known)
	if err != nil {
		return nil, err
	}
	return &Count{
		Variable: q.names.variables[0][0], Known: n.Known, Missing: n.Missing, Low: n.Low, High: n.High,
		Uncalibrated: n.Uncalibrated, Semantics: q.bound.Plan.Semantics,
	}, nil
}

// ofCount returns the options that a count uses.
func (o *Options) ofCount() Options {
	return Options{Settings: o.Settings, Budget: o.Budget, HeldOut: o.HeldOut, Filter: AnswerFilter{Type: o.Filter.Type}}
}
