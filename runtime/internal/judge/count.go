package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
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
		if j.ofTypes(graph.EntityID(e)) {
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

	s := exact.Solver{Context: j.ctx, Budget: searchBudgets * j.Budget}
	if err := j.follow(&s, nil); err != nil {
		return nil, fmt.Errorf("the answers that owe themselves to unknown values take too much work to count: %w", err)
	}
	open := func(e graph.EntityID) bool {
		_, is := slices.BinarySearch(known, int32(e))
		return !is && j.ofTypes(e) && !j.excluded(e)
	}
	answer := r.Scores()
	head := j.head(answer, open)
	err := j.confideAll(head)
	n.Uncalibrated = j.uncalibrated
	if err != nil || n.Uncalibrated != "" {
		return n, err
	}
	return n, j.estimate(n, known, answer, head, open)
}

// estimate estimates the number of open entities that are answers, by their confidence. Entities of the
// head have confidences as answers.
func (j *Judge) estimate(n *Count, known []int32, answer plan.Vector, head []Finding, open func(e graph.EntityID) bool) error {
	form := scq.Form(j.Plan.Disjuncts)
	x := spread{low: j.claims.Low[form], high: j.claims.High[form], known: float64(n.Known)}
	var degrees plan.Vector
	if !j.byScore() || j.refuting > 0 {
		var err error
		degrees, err = j.allDegrees()
		if err != nil {
			return err
		}
	}
	if j.refuting > 0 {
		for _, e := range known {
			if j.ofTypes(graph.EntityID(e)) {
				x.addKnown(j.holds(float64(degrees[e])))
			}
		}
	}
	if len(head) > 0 {
		j.estimateResting(&x, answer, degrees, head, open)
	}
	for _, e := range slices.Sorted(maps.Keys(j.chances)) {
		if chance := j.chances[e]; chance > 0 && open(e) {
			if j.refuting > 0 {
				chance *= j.holds(float64(degrees[e]) / j.factor(e, plan.NoLink(0)))
			}
			x.add(question{-1, -1}, 1, chance)
		}
	}
	n.Missing = x.expected()
	n.Low, n.High = x.bounds()
	return nil
}

// estimateResting adds the open entities that rest on predicted links. Those behind the head have the typical one, and
// the typical chance that the values of variables meet their filters.
func (j *Judge) estimateResting(x *spread, answer, degrees plan.Vector, head []Finding, open func(e graph.EntityID) bool) {
	inHead := map[graph.EntityID]bool{}
	links := make([]float64, len(head))
	factors := make([]float64, len(head))
	for i, a := range head {
		link := j.links[a.Entity]
		p := min(1, a.Confidence/max(leastConfidence, a.Basis.Applies))
		if a.Basis.Complete {
			p = 0
		}
		x.add(question{link.Head, link.Relation}, a.Basis.Applies, p)
		inHead[a.Entity] = true
		links[i] = a.Basis.Offset + a.Basis.Graph
		factors[i] = j.factor(a.Entity, link) / j.factor(a.Entity, plan.NoLink(0))
	}
	slices.Sort(links)
	slices.Sort(factors)
	median := (len(head) - 1) / 2
	typical := x.typical()
	c := j.of(j.Model, typical.question)
	tail := c.Tail(scq.Form(j.Plan.Disjuncts))

	for e, score := range answer {
		if e := graph.EntityID(e); !open(e) || inHead[e] || j.chances[e] > 0 {
			continue
		}
		factor := min(1, factors[median]*j.factor(graph.EntityID(e), plan.NoLink(0)))
		degree := factor
		if !j.byScore() {
			degree = float64(degrees[e])
		}
		u := j.evidence(score, degree, factor)
		typical.add(factor * j.chance(j.Model, typical.question, tail.At(c.Sum(u, u-j.least, links[median]))))
	}
}

// head finds the best open entities that rest on predicted links.
func (j *Judge) head(scores plan.Vector, open func(e graph.EntityID) bool) []Finding {
	head := make([]Finding, 0, countHead)
	for e := range top.Descending(scores) {
		if len(head) == countHead {
			break
		}
		if open(e.Entity) && j.chances[e.Entity] == 0 {
			j.see(e, Predicted)
			head = append(head, Finding{Entity: e.Entity, Score: e.Score, Status: Predicted})
		}
	}
	return head
}

// allDegrees returns the truth degrees of all entities.
func (j *Judge) allDegrees() (degrees plan.Vector, err error) {
	if j.work != nil {
		return j.work.Degrees().Degrees(make(plan.Vector, j.Model.NumEntities())), nil
	}
	d := j.Degrees()
	if d == nil {
		return nil, errNoEvidence
	}
	_, err = d.Each(j.ctx, []scq.Bindings{j.Bindings}, run.Want{Settings: *j.Settings}, func(_ int, r run.Result) error {
		degrees = slices.Clone(r.Scores())
		return nil
	})
	return degrees, err
}
