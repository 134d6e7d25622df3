package judge

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
)

// status says whether an answer follows from the observed graph, or from it together with the facts held back.
func (j *Judge) status(e graph.EntityID) Status {
	if _, ok := j.statuses[e]; !ok {
		j.decide([]graph.EntityID{e})
	}
	return j.statuses[e]
}

// decide finds the statuses of entities together, which takes little more work than one of them. If it
// takes more than the budget for several, their open statuses are left to be found one by one.
func (j *Judge) decide(entities []graph.EntityID) {
	open := j.scratch.open[:0]
	for _, e := range entities {
		open = append(open, int32(e))
	}
	j.scratch.open = open
	slices.Sort(open)
	open = slices.Compact(open)
	rest := Predicted
	for i, status := range []Status{Known, Confirmed}[:len(j.facts)] {
		if len(open) == 0 {
			return
		}
		found, complete := j.following(j.facts[:i+1], open)
		for _, e := range found {
			j.statuses[graph.EntityID(e)] = status
		}
		open = slices.DeleteFunc(open, func(e int32) bool { _, ok := j.statuses[graph.EntityID(e)]; return ok })
		if !complete && len(entities) > 1 {
			return
		}
		if !complete && status == Known {
			rest = Undecided
			break
		}
	}
	for _, e := range open {
		j.statuses[graph.EntityID(e)] = rest
	}
}

// following returns the given entities that follow from facts by a disjunct, ascending, and whether
// the budget suffices to find them all. nil entities are all. The result lasts until the next call.
func (j *Judge) following(f exact.Facts, entities []int32) (found []int32, complete bool) {
	complete = true
	found = j.scratch.found[:0]
	disjuncts := j.Plan.Disjuncts
	for i := range disjuncts {
		more, err := j.solver.Among(f, disjuncts[i:i+1], j.Bindings, entities)
		found = append(found, more...)
		complete = complete && err == nil
	}
	j.scratch.found = found
	return found, complete
}
