package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Count is the number of answers of a query: of distinct entities.
type Count struct {
	// Variable is the name of the free variable.
	Variable string `json:"variable"`
	// Known counts the answers that follow from the observed graph.
	Known int `json:"known"`
	// Missing is the expected number of other answers: the sum of the confidences of all other
	// entities.
	Missing float64 `json:"missing"`
	// Low and High bound the number of all answers, known ones included, in nine of ten
	// validation queries; they are estimates, too.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Uncalibrated says why Missing is not estimated; it is empty if there is an estimate. Without one,
	// Missing is 0, and Low and High equal Known.
	Uncalibrated string          `json:"uncalibrated,omitempty"`
	Semantics    model.Semantics `json:"semantics"`
}

// Total is the expected number of answers.
func (c *Count) Total() float64 { return float64(c.Known) + c.Missing }

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
