package judge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Count is the number of answers.
type Count struct {
	Known        int
	Missing      float64 // the expected number of others
	Low, High    float64 // bounds of all
	Uncalibrated string  // why Missing is not estimated
}

// countHead is the number of the best unknown answers that get the confidence of answers. The
// confidence of all others is by evidence alone: see model.Calibration.
const countHead = 10

// AllKnown returns all known answers, in ascending order. They may take as much work as a search for answers.
func (j *Judge) AllKnown() ([]int32, error) {
	s := exact.Solver{Context: j.ctx, Budget: searchBudgets * j.Budget}
	known, err := s.Answers(j.Model.Graph, j.Plan.Disjuncts, j.Bindings)
	if errors.Is(err, exact.ErrBudget) {
		err = fmt.Errorf("the known answers take too much work to count: %w", err)
	}
	return known, err
}

// Count estimates the number of answers, given the known ones in ascending order.
func (j *Judge) Count(r *run.Result, known []int32) (*Count, error) {
	j.open(r)
	n := &Count{Uncalibrated: j.uncalibrated}
	for _, e := range known {
		if j.ofTypes(model.EntityID(e)) {
			n.Known++
		}
	}
	n.Low = float64(n.Known)
	n.High = float64(n.Known)
	if n.Uncalibrated == "" && !j.claims.Counts() {
		n.Uncalibrated = "the model was calibrated before answers could be counted: calibrate it again"
	}
	if n.Uncalibrated != "" {
		return n, nil
	}

	open := func(e model.EntityID) bool {
		_, is := slices.BinarySearch(known, int32(e))
		return !is && j.ofTypes(e) && !j.excluded(e)
	}
	answer := r.Scores()
	head := j.head(answer, open)
	if len(head) == 0 {
		return n, nil
	}
	err := j.confideAll(head)
	n.Uncalibrated = j.uncalibrated
	if err != nil || n.Uncalibrated != "" {
		return n, err
	}
	return n, j.estimate(n, answer, head, open)
}

// estimate estimates the number of open entities that are answers, by their confidence. Entities of the
// head have confidences as answers.
func (j *Judge) estimate(n *Count, answer plan.Vector, head []Finding, open func(e model.EntityID) bool) error {
	x := spread{low: j.claims.Low, high: j.claims.High, known: float64(n.Known), holds: j.ofKnown()}
	inHead := map[model.EntityID]bool{}
	links := make([]float64, len(head))
	for i, a := range head {
		x.add(question{j.links[a.Entity].Head, j.links[a.Entity].Relation}, a.Basis.Applies, min(1, a.Confidence/max(leastConfidence, a.Basis.Applies)))
		inHead[a.Entity] = true
		links[i] = a.Basis.Offset + a.Basis.Graph
	}
	slices.Sort(links)
	median := (len(head) - 1) / 2
	typical := x.typical()

	degrees, err := j.allDegrees()
	if err != nil {
		return err
	}
	for e, score := range answer {
		if e := model.EntityID(e); !open(e) || inHead[e] {
			continue
		}
		degree := 0.0
		if degrees != nil {
			degree = float64(degrees[e])
		}
		u := j.evidence(score, degree)
		typical.add(j.chance(&j.claims.Tail, j.claims.Sum(u, u-j.least, links[median])))
	}
	n.Missing = x.expected()
	n.Low, n.High = x.bounds()
	return nil
}

// head finds the best open entities.
func (j *Judge) head(scores plan.Vector, open func(e model.EntityID) bool) []Finding {
	head := make([]Finding, 0, countHead)
	for e := range top.Descending(scores) {
		if len(head) == countHead {
			break
		}
		if open(e.Entity) {
			j.see(e, Predicted)
			head = append(head, Finding{Entity: e.Entity, Score: e.Score, Status: Predicted})
		}
	}
	return head
}

// allDegrees returns the truth degrees of all entities, nil if scores alone give the evidence.
func (j *Judge) allDegrees() (degrees plan.Vector, err error) {
	if j.byScore() {
		return nil, nil
	}
	_, err = j.Degrees().Each(j.ctx, []scq.Bindings{j.Bindings}, run.Want{Settings: *j.Settings}, func(_ int, r run.Result) error {
		degrees = slices.Clone(r.Scores())
		return nil
	})
	return degrees, err
}
