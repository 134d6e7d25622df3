package judge

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Count is the number of answers.
type Count struct {
	Known        int
	Missing      float64 // the expected number of others
	Low, High    float64 // bounds of all
	Uncalibrated string  // why Missing is not estimated
}

// AllKnown returns all known answers, in ascending order. They may take as much work as a search for answers.
func (j *Judge) AllKnown() ([]int32, error) {
	s := exact.Solver{Context: j.ctx, Budget: searchBudgets * j.Budget}
	known, err := s.Answers(j.Model.Graph, j.Plan.Disjuncts, j.Bindings)
	if errors.Is(err, exact.ErrBudget) {
		err = fmt.Errorf("the known answers take too much work to count: %w", err)
	}
	return known, err
}

// mostTogether bounds the entities whose confidences are found together for a count.
const mostTogether = 1 << 16

// Count estimates the number of answers, given the known ones in ascending order: those that are not known are expected to
// be as many as their confidences add up to.
func (j *Judge) Count(r *run.Result, known []int32) (*Count, error) {
	j.open(r)
	n := &Count{Uncalibrated: j.uncalibrated}
	for _, e := range known {
		j.statuses[graph.EntityID(e)] = Known
		if j.ofTypes(graph.EntityID(e)) {
			n.Known++
		}
	}
	n.Low = float64(n.Known)
	n.High = float64(n.Known)
	if n.Uncalibrated != "" {
		return n, nil
	}
	s := exact.Solver{Context: j.ctx, Budget: searchBudgets * j.Budget}
	if err := j.follow(&s, nil); err != nil {
		return nil, fmt.Errorf("the answers that owe themselves to unknown values take too much work to count: %w", err)
	}
	x := spread{low: j.claims.Low[j.form], high: j.claims.High[j.form], known: float64(n.Known)}
	err := j.addAll(&x, r)
	n.Uncalibrated = j.uncalibrated
	if err != nil || n.Uncalibrated != "" {
		return n, err
	}
	n.Missing = x.missing
	n.Low, n.High = x.bounds()
	return n, nil
}

// addAll adds all entities by their confidences, best first.
func (j *Judge) addAll(x *spread, r *run.Result) error {
	list := make([]Finding, 0, foundAtFirst)
	for e := range top.Descending(r.Scores()) {
		if j.excluded(e.Entity) {
			continue
		}
		status := Predicted
		if j.statuses[e.Entity] == Known {
			status = Known
		}
		j.see(e, status)
		if !j.ofTypes(e.Entity) || status == Predicted && j.ready && j.atMost(e) <= leastConfidence {
			continue
		}
		list = append(list, Finding{Entity: e.Entity, Score: e.Score, Status: status})
		if len(list) < cap(list) {
			continue
		}
		if err := j.addEach(x, list); err != nil {
			return err
		}
		list = make([]Finding, 0, min(2*cap(list), mostTogether))
	}
	return j.addEach(x, list)
}

// addEach adds entities by their confidences.
func (j *Judge) addEach(x *spread, list []Finding) error {
	if err := j.confideAll(list); err != nil {
		return err
	}
	for i := range list {
		a := &list[i]
		switch link := j.links[a.Entity]; {
		case a.Status == Known:
			x.addKnown(a.Confidence)
		case a.Confidence <= leastConfidence: // it means none
		case a.Basis == nil:
			x.add(question{-1, -1}, 1, a.Confidence)
		default:
			x.add(question{link.Head, link.Relation}, a.Basis.Applies, a.Confidence)
		}
	}
	clear(j.links)
	return j.ctx.Err()
}
