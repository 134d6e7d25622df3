package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
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
	// Uncalibrated says why Missing is not estimated: it is 0 then, and Low and High are Known.
	// It is empty if it is.
	Uncalibrated string          `json:"uncalibrated,omitempty"`
	Semantics    model.Semantics `json:"semantics"`
}

// Total is the expected number of answers.
func (c *Count) Total() float64 { return float64(c.Known) + c.Missing }

// CountHead is the number of the best unknown answers that get the confidence of answers. The
// confidence of all others is by evidence alone: see model.Calibration.
const CountHead = 10

// Count estimates how many answers the query has. It uses only Settings, Budget, HeldOut and
// Filter.Type of the options.
func (q *Query) Count(ctx context.Context, b scq.Bindings, o Options) (*Count, error) {
	q = q.Snapshot()
	if q.model.Split() {
		return nil, q.fail(ErrNeedsWhole)
	}
	o, err := q.check(b, Options{Settings: o.Settings, Budget: o.Budget, HeldOut: o.HeldOut, Filter: Filter{Type: o.Filter.Type}})
	if err != nil {
		return nil, q.fail(err)
	}
	s := exact.Solver{Context: ctx, Budget: searchBudgets * o.Budget}
	known, err := s.Answers(q.model.Graph, q.plan.Patterns, b)
	if errors.Is(err, exact.ErrBudget) {
		err = fmt.Errorf("the known answers take too much work to count: %w", err)
	}
	if err != nil {
		return nil, q.fail(err)
	}
	var n *Count
	err = q.Each(ctx, []scq.Bindings{b}, o.Settings, func(_ int, r *Run) (err error) {
		n, err = r.Count(o, known)
		return err
	})
	return n, err
}

// Count estimates how many answers the query has, given the known ones in ascending order. It uses only Budget,
// HeldOut and Filter.Type of the options.
func (x *Run) Count(o Options, known []int32) (*Count, error) {
	o, err := x.options(Options{Budget: o.Budget, HeldOut: o.HeldOut, Filter: Filter{Type: o.Filter.Type}})
	if err != nil {
		return nil, err
	}
	ctx := x.ctx
	q := x.query
	q.filters(&o.Filter)
	find := q.findLinks(x.result)
	answer := x.Scores()
	c := q.newChecker(ctx, x.bindings, o)
	r := &Count{Variable: q.names.Variables[0][0], Semantics: q.plan.Semantics}
	for _, e := range known {
		if c.ofTypes(model.EntityID(e)) {
			r.Known++
		}
	}
	c.confidence, r.Uncalibrated = q.newConfidence(ctx, x.bindings, o, find)
	if r.Uncalibrated == "" && !c.claims.Counts() {
		r.Uncalibrated = "the model was calibrated before answers could be counted: calibrate it again (efoc calibrate)"
	}
	r.Low = float64(r.Known)
	r.High = float64(r.Known)
	if r.Uncalibrated != "" {
		return r, nil
	}
	open := func(e model.EntityID) bool {
		_, is := slices.BinarySearch(known, int32(e))
		return !is && c.ofTypes(e) && !c.excluded(e)
	}
	head := c.head(answer, open)
	if len(head) == 0 {
		return r, nil
	}
	r.Uncalibrated, err = c.judgeAll(ctx, head)
	if err != nil || r.Uncalibrated != "" {
		return r, err
	}

	variance := 0.0
	add := func(p float64) {
		r.Missing += p
		variance += p * (1 - p)
	}
	inHead := map[model.EntityID]bool{}
	links := make([]float64, len(head))
	for i, a := range head {
		add(a.confidence)
		inHead[a.entity] = true
		links[i] = a.basis.Offset + a.basis.Graph
	}
	slices.Sort(links)
	link := links[(len(links)-1)/2]
	evidence, err := q.evidences(ctx, x.bindings, o.Settings, answer, &c.confidence)
	if err != nil {
		return nil, err
	}
	for e := range answer {
		if e := model.EntityID(e); open(e) && !inHead[e] {
			u := evidence(e)
			add(c.chance(&c.claims.Tail, c.calibration.Sum(u, u-c.least, link)))
		}
	}
	sd := math.Sqrt(variance)
	r.Low += max(0, r.Missing+c.claims.Low*sd)
	r.High += max(0, r.Missing+c.claims.High*sd)
	return r, nil
}

// head finds the best open entities.
func (c *checker) head(scores plan.Vector, open func(e model.EntityID) bool) []finding {
	head := make([]finding, 0, CountHead)
	for e := range rank.Descending(scores) {
		if len(head) == CountHead {
			break
		}
		if open(e.Entity) {
			c.see(e, Predicted)
			head = append(head, finding{entity: e.Entity, score: e.Score, status: Predicted})
		}
	}
	return head
}

// evidences returns the evidence for any entity, by its score, with the truth degrees of all if
// message passing alone gives that.
func (q *Query) evidences(ctx context.Context, b scq.Bindings, s *model.Settings, answer plan.Vector, c *confidence) (func(e model.EntityID) float64, error) {
	if c.byScore() {
		return func(e model.EntityID) float64 { return c.evidence(rank.Ranked{Entity: e, Score: answer[e]}) }, nil
	}
	var degrees plan.Vector
	err := q.Degrees().Each(ctx, []scq.Bindings{b}, s, func(_ int, r *Run) error {
		degrees = slices.Clone(r.Scores())
		return nil
	})
	return func(e model.EntityID) float64 {
		return fit.MixtureEvidence(float64(answer[e]), float64(degrees[e]), c.mixture)
	}, err
}
