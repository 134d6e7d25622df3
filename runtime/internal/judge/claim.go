package judge

import (
	"cmp"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// AnyEntity leaves open which entity must be the answer to a claim.
const AnyEntity = model.EntityID(-1)

// These returns the given entities as findings, in that order and of any rank, or says why they have no confidence.
func (j *Judge) These(r *run.Result, entities []model.EntityID) (found []Finding, uncalibrated string, err error) {
	j.open(r)
	answer := r.Scores()
	j.decide(entities)
	found = make([]Finding, len(entities))
	for i, e := range entities {
		found[i] = Finding{Entity: e, Score: answer[e], Status: j.status(e), OutOfRange: j.outOfRange(e)}
	}
	for e := range top.Descending(answer) {
		if !j.seeks() {
			break
		}
		if err := j.ctx.Err(); err != nil {
			return nil, "", err
		}
		if !j.excluded(e.Entity) {
			j.see(e, j.status(e.Entity))
		}
	}
	err = j.confideAll(found)
	return found, j.uncalibrated, cmp.Or(err, j.ctx.Err())
}

// Known returns the known answers, restricted to the given entity unless it is AnyEntity, and by which facts
// there is an answer.
func (j *Judge) Known(entity model.EntityID) (known []int32, follows Follows) {
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
			known = found
		}
		if follows[i] == Holds && !scq.Negates(j.Plan.Disjuncts) { // further facts do not refute it
			follows[1] = Holds
			break
		}
	}
	return known, follows
}

// BestOf returns the known answer with the largest score, or the answer if none is known, and the
// answer with the largest score.
func (j *Judge) BestOf(known []int32, scores plan.Vector) (model.EntityID, top.Ranked) {
	best := top.Ranked{}
	first := top.Ranked{Entity: AnyEntity, Score: -1} // all may be excluded
	better := func(x *top.Ranked, e model.EntityID) {
		if scores[e] > x.Score {
			*x = top.Ranked{Entity: e, Score: scores[e]}
		}
	}
	for e := range scores {
		if e := model.EntityID(e); !j.excluded(e) {
			better(&best, e)
		}
	}
	for _, e := range known {
		better(&first, model.EntityID(e))
	}
	if first.Entity == AnyEntity {
		first = best
	}
	return first.Entity, best
}
