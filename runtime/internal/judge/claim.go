package judge

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// AnyEntity leaves open which entity must be the answer to a claim.
const AnyEntity = graph.EntityID(-1)

// These returns the given entities as findings, in that order and of any rank, or says why they have no confidence.
func (j *Judge) These(r *run.Result, entities []graph.EntityID) (found []Finding, uncalibrated string, err error) {
	j.open(r)
	answer := r.Scores()
	j.decide(entities)
	found = make([]Finding, len(entities))
	places := map[graph.EntityID]int{}
	for i, e := range entities {
		found[i] = Finding{Entity: e, Score: answer[e], Status: j.status(e), OutOfRange: j.outOfRange(e)}
		places[e] = 0
	}
	place := 0
	unplaced := len(places)
	for e := range top.Descending(answer) {
		place++
		if _, asked := places[e.Entity]; asked {
			places[e.Entity] = place
			unplaced--
		}
		if err := j.ctx.Err(); err != nil {
			return nil, "", err
		}
		if j.seeks() && !j.excluded(e.Entity) {
			j.see(e, j.status(e.Entity))
		}
		if unplaced == 0 && !j.seeks() {
			break
		}
	}
	for i := range found {
		found[i].place = places[found[i].Entity]
	}
	err = j.confideAll(found)
	return found, j.uncalibrated, cmp.Or(err, j.ctx.Err())
}

// Known returns the known answers, restricted to the given entity unless it is AnyEntity, and by which facts
// there is an answer.
func (j *Judge) Known(entity graph.EntityID) (known []int32, follows Follows) {
	var within []int32
	if entity != AnyEntity {
		within = []int32{int32(entity)}
	}
	for i := range j.facts {
		found, complete := j.following(j.facts[:i+1], within)
		switch {
		case len(found) > 0:
			follows[i] = Holds
		case !complete:
			follows[i] = Unclear
		}
		if i == 0 {
			known = slices.Clone(found)
		}
		if follows[i] == Holds && !scq.Negates(j.Plan.Disjuncts) { // further facts do not refute it
			follows[1] = Holds
			break
		}
	}
	return known, follows
}

// BestOf returns the candidates for the likeliest answer, and the answer with the largest score. If some answer is
// known, the only candidate is the known answer with the largest score. Otherwise the candidates are the answer with the
// largest score, and the likeliest of the answers that are known once unknown values meet their filters.
func (j *Judge) BestOf(known []int32, scores plan.Vector) ([]graph.EntityID, top.Ranked) {
	best := top.Ranked{}
	for e := range scores {
		if e := graph.EntityID(e); !j.excluded(e) && scores[e] > best.Score {
			best = top.Ranked{Entity: e, Score: scores[e]}
		}
	}
	if len(known) > 0 {
		return []graph.EntityID{largest(known, scores)}, best
	}
	for i := range j.lettings {
		x := &j.lettings[i]
		found, err := j.solver.Among(j.facts[:1], []scq.Disjunct{x.disjunct}, x.bindings, nil)
		if err == nil && len(found) > 0 {
			return []graph.EntityID{best.Entity, largest(found, scores)}, best
		}
	}
	return []graph.EntityID{best.Entity}, best
}

// largest returns the entity with the largest score.
func largest(entities []int32, scores plan.Vector) graph.EntityID {
	return graph.EntityID(slices.MaxFunc(entities, func(a, b int32) int { return cmp.Compare(scores[a], scores[b]) }))
}
