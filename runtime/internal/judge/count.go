package judge

import (
	"cmp"
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

// A count adds entities in blocks, best first: countedAtFirst in the first block, and twice as many in each following one.
// It stops after a block that adds less than the negligible share of the expected number.
const countedAtFirst, negligible = 64, 0.001

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
	if n.Uncalibrated != "" {
		return n, nil
	}

	s := exact.Solver{Context: j.ctx, Budget: searchBudgets * j.Budget}
	if err := j.follow(&s, nil); err != nil {
		return nil, fmt.Errorf("the answers that owe themselves to unknown values take too much work to count: %w", err)
	}
	open := func(e graph.EntityID) bool {
		_, is := slices.BinarySearch(known, int32(e))
		return !is && !j.excluded(e)
	}
	j.countKnown(known)
	return n, j.estimate(n, known, r.Scores(), open)
}

// estimate estimates the number of answers by the confidence of known and of open entities.
func (j *Judge) estimate(n *Count, known []int32, answer plan.Vector, open func(e graph.EntityID) bool) error {
	form := scq.Form(j.Plan.Disjuncts)
	x := spread{low: j.claims.Low[form], high: j.claims.High[form], known: float64(n.Known)}
	err := j.addPredicted(&x, answer, open)
	n.Uncalibrated = j.uncalibrated
	if err != nil || n.Uncalibrated != "" {
		return err
	}
	if j.refuting > 0 {
		if err := j.addRefutable(&x, known, open); err != nil {
			return err
		}
	} else {
		for _, e := range slices.Sorted(maps.Keys(j.chances)) {
			if chance := j.chances[e]; chance > 0 && open(e) && j.ofTypes(e) {
				x.add(question{-1, -1}, 1, chance)
			}
		}
	}
	n.Missing = x.expected()
	n.Low, n.High = x.bounds()
	return nil
}

// addRefutable adds the entities that follow, some once unknown values meet their filters, unless missing facts refute them.
func (j *Judge) addRefutable(x *spread, known []int32, open func(e graph.EntityID) bool) error {
	degrees, err := j.allDegrees()
	if err != nil {
		return err
	}
	for _, e := range known {
		if j.ofTypes(graph.EntityID(e)) {
			x.addKnown(j.holds(float64(degrees[e])))
		}
	}
	for _, e := range slices.Sorted(maps.Keys(j.chances)) {
		if chance := j.chances[e]; chance > 0 && open(e) && j.ofTypes(e) {
			x.add(question{-1, -1}, 1, chance*j.holds(float64(degrees[e])/j.factor(e, plan.NoLink(0))))
		}
	}
	return nil
}

// addPredicted adds the open entities that rest on predicted links, best first.
func (j *Judge) addPredicted(x *spread, answer plan.Vector, open func(e graph.EntityID) bool) error {
	size := countedAtFirst
	var block []Finding
	add := func() error {
		err := cmp.Or(j.ctx.Err(), j.confideAll(block))
		if err != nil || j.uncalibrated != "" {
			return err
		}
		for _, a := range block {
			link := j.links[a.Entity]
			applies := max(leastConfidence, a.Basis.Applies)
			p := min(1, a.Confidence/applies)
			if a.Basis.Complete {
				p = 0
			}
			x.add(question{link.Head, link.Relation}, applies, p)
		}
		block = block[:0]
		return nil
	}
	place := 0
	for e := range top.Descending(answer) {
		place++
		if !open(e.Entity) || j.chances[e.Entity] > 0 {
			continue
		}
		j.see(e, Predicted)
		if !j.ofTypes(e.Entity) {
			continue
		}
		block = append(block, Finding{Entity: e.Entity, Score: e.Score, Status: Predicted, place: place})
		if len(block) < size {
			continue
		}
		before := x.expected()
		if err := add(); err != nil || j.uncalibrated != "" {
			return err
		}
		if expected := x.expected(); expected-before < negligible*expected {
			return nil
		}
		size *= 2
	}
	return add()
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
