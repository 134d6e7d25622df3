package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// decide answers a question for verdicts, one for each set of parameter values. It reads only Settings and Budget of
// the options.
func (q *Question) decide(ctx context.Context, batch []*asking, o Options) ([]*Verdict, error) {
	parts := make([][]judgedClaim, len(batch)) // of each question
	for i, part := range batch[0].parts {
		claims := make([]claim, len(batch))
		for k, x := range batch {
			claims[k] = claim{x.parts[i].bindings, judge.AnyEntity}
			if at := q.spec.Parts[i].At; at != nil {
				claims[k].entity = at.Entity(q.ids, x.args, nil)
			}
		}
		judged, err := part.judgeClaims(ctx, claims, o)
		if err != nil {
			return nil, part.fail(err)
		}
		for k := range batch {
			parts[k] = append(parts[k], judged[k])
		}
	}

	verdicts := make([]*Verdict, len(batch))
	for k := range batch {
		verdicts[k] = q.verdict(parts[k])
	}
	return verdicts, nil
}

// decideAll wraps the results of decide in replies.
func (q *Question) decideAll(ctx context.Context, batch []*asking, o Options) ([]*Reply, error) {
	verdicts, err := q.decide(ctx, batch, o)
	if err != nil {
		return nil, err
	}
	replies := make([]*Reply, len(batch))
	for i, v := range verdicts {
		replies[i] = &Reply{Kind: plan.Verdict, Semantics: v.Semantics, Verdict: v}
	}
	return replies, nil
}

// verdict combines the judged parts of a question: it holds if all parts of some disjunct hold.
func (q *Question) verdict(parts []judgedClaim) *Verdict {
	var best *Verdict
	var follows judge.Follows
	missed := 1.0 // the degree to which no disjunct holds
	for _, d := range q.spec.Disjuncts {
		v, all := conjunction(d, parts)
		for i := range follows {
			follows[i] = max(follows[i], all[i])
		}
		missed *= 1 - v.Degree
		if best == nil || v.better(best) {
			best = v
		}
	}

	best.Status = Status(follows.Status())
	best.Degree = 1 - missed
	best.Holds = best.Status == Known || best.Confidence >= Likely
	return best
}

// judgedClaim is a claim with the verdict on its best witness.
type judgedClaim struct {
	*Verdict
	// follows says whether the claim follows from the observed facts, and from these with the held-back ones, if any.
	follows judge.Follows
}

// conjunction returns the verdict on several claims together, and which facts all of them follow from: a claim that
// follows from one graph may not follow from another.
func conjunction(claims []int, parts []judgedClaim) (v *Verdict, follows judge.Follows) {
	v = &Verdict{Confidence: 1, Degree: 1}
	follows = judge.Follows{judge.Holds, judge.Holds}
	for _, i := range claims {
		p := parts[i]
		for k := range follows {
			follows[k] = min(follows[k], p.follows[k])
		}
		v.Confidence *= p.Confidence
		v.Degree *= p.Degree
		v.Uncalibrated = cmp.Or(v.Uncalibrated, p.Uncalibrated)
		v.Semantics = p.Semantics
		v.Witnesses = append(v.Witnesses, p.Witnesses...)
	}
	v.Status = Status(follows.Status())
	return v, follows
}

// better reports whether a disjunct supports a sentence better than another: a known one first, then by confidence
// and degree.
func (v *Verdict) better(than *Verdict) bool {
	if known := v.Status == Known; known != (than.Status == Known) {
		return known
	}
	return cmp.Or(cmp.Compare(v.Confidence, than.Confidence), cmp.Compare(v.Degree, than.Degree)) > 0
}

// claim is a part of a verdict: it asks whether an entity, or any entity, is an answer.
type claim struct {
	bindings scq.Bindings
	entity   graph.EntityID // the required answer, or judge.AnyEntity
}

// judgeClaims judges claims, which run together, by their best witnesses. If any entity will do, it picks the known
// answer with the largest score, or the answer with the largest score if none is known.
func (q *query) judgeClaims(ctx context.Context, batch []claim, o Options) ([]judgedClaim, error) {
	if q.model.Split() {
		return nil, ErrNeedsWhole
	}
	o, err := q.options(Options{Settings: o.Settings, Budget: o.Budget})
	if err != nil {
		return nil, err
	}
	judged := make([]judgedClaim, len(batch))
	judges := make([]*judge.Judge, len(batch))
	known := make([][]int32, len(batch))
	found := make([][]graph.EntityID, len(batch))
	bindings := make([]scq.Bindings, len(batch))
	for i, c := range batch {
		if c.entity >= 0 { // otherwise any answer will do
			if err := checkID("", plan.EntityParam, int(c.entity), q.model.NumEntities()); err != nil {
				return nil, err
			}
		}
		bindings[i] = c.bindings
		judged[i].Verdict = &Verdict{Semantics: q.bound.Plan.Semantics}
		judges[i] = q.judge(ctx, c.bindings, o)
		known[i], judged[i].follows = judges[i].Known(c.entity)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}

	_, err = q.bound.Each(ctx, bindings, run.Want{Settings: *o.Settings}, func(i int, r run.Result) error {
		best, err := judged[i].judgeRun(judges[i], batch[i].entity, known[i], &r)
		found[i] = []graph.EntityID{best}
		return err
	})
	if err != nil {
		return nil, err
	}

	witnesses, err := q.allWitnesses(ctx, bindings, o.Settings, found)
	if err != nil {
		return nil, err
	}
	for i := range judged {
		q.explained(&judged[i], witnesses[i][0], batch[i].entity)
	}
	return judged, nil
}

// judgeRun judges a claim by a run of its plan, and returns the answer on which the claim rests.
func (p *judgedClaim) judgeRun(j *judge.Judge, entity graph.EntityID, known []int32, r *run.Result) (graph.EntityID, error) {
	candidates := []graph.EntityID{entity}
	if entity == judge.AnyEntity {
		var largest top.Ranked
		candidates, largest = j.BestOf(known, r.Scores())
		p.Degree = float64(largest.Score)
	} else {
		p.Degree = float64(r.Scores()[entity])
	}

	findings, uncalibrated, err := j.These(r, candidates)
	if err != nil {
		return entity, err
	}
	best := slices.MaxFunc(findings, func(a, b judge.Finding) int { return cmp.Compare(a.Confidence, b.Confidence) })
	p.Confidence = best.Confidence
	p.Uncalibrated = uncalibrated
	return best.Entity, nil
}

// explained sets the witness of a claim.
func (q *query) explained(p *judgedClaim, w Witness, entity graph.EntityID) {
	if q.bound.Plan.Semantics != model.FIT {
		p.Degree = float64(w.Degree)
	}
	if entity == judge.AnyEntity && w.Degree > 0 {
		w.Values = slices.Insert(w.Values, 0, q.model.named(q.names.variables[0][0], w.Answer.ID))
	}
	p.Witnesses = []Witness{w}
}
