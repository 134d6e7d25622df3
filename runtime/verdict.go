package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// decide answers a question for a verdict: it holds if all parts of one of its disjuncts do. It uses only Settings
// and Budget of the options.
func (q *Question) decide(ctx context.Context, a Args, o Options) (*Verdict, error) {
	now := q.Model().Now()
	parts := make([]judgedClaim, len(q.parts))
	for i, part := range q.parts {
		entity := judge.AnyEntity
		if at := q.spec.Parts[i].At; at != nil {
			entity = at.Entity(q.ids, a, nil)
		}
		var err error
		parts[i], err = part.at(now).claim(ctx, q.PartBindings(i, a), o, entity)
		if err != nil {
			return nil, part.fail(err)
		}
	}

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
	return best, nil
}

// judgedClaim is a claim with the verdict on its best witness.
type judgedClaim struct {
	*Verdict
	// follows says whether the claim follows from the observed facts, and whether it does with
	// those held back, if there are any.
	follows judge.Follows
}

// conjunction returns the verdict on several claims together, and whether all follow from the same
// facts: a claim that follows from one graph may not follow from another.
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

// better reports whether a disjunct is rather the reason for a sentence than another one.
func (v *Verdict) better(than *Verdict) bool {
	if known := v.Status == Known; known != (than.Status == Known) {
		return known
	}
	return cmp.Or(cmp.Compare(v.Confidence, than.Confidence), cmp.Compare(v.Degree, than.Degree)) > 0
}

// claim judges a claim by its best witness: if any entity will do, the known answer, or else the
// answer, with the largest score.
func (q *Query) claim(ctx context.Context, b scq.Bindings, o Options, entity model.EntityID) (judgedClaim, error) {
	if q.model.Split() {
		return judgedClaim{}, ErrNeedsWhole
	}
	o, err := q.check(b, Options{Settings: o.Settings, Budget: o.Budget})
	if err != nil {
		return judgedClaim{}, err
	}
	if int(entity) >= q.model.NumEntities() {
		return judgedClaim{}, fmt.Errorf("entity %d is not in the model: it has %d entities", entity, q.model.NumEntities())
	}

	p := judgedClaim{Verdict: &Verdict{Semantics: q.bound.Plan.Semantics}}
	j := q.judge(ctx, b, o)
	found := entity
	var known []int32
	known, p.follows = j.Known(entity)
	if ctx.Err() != nil {
		return judgedClaim{}, ctx.Err()
	}
	_, err = q.bound.Each(ctx, []scq.Bindings{b}, run.Want{Settings: *o.Settings}, func(_ int, r run.Result) error {
		answer := r.Scores()
		if entity == judge.AnyEntity {
			var top rank.Ranked
			found, top = j.BestOf(known, answer)
			p.Degree = float64(top.Score)
		} else {
			p.Degree = float64(answer[entity])
		}
		judged, uncalibrated, err := j.These(&r, []model.EntityID{found})
		if err != nil {
			return err
		}
		p.Confidence = judged[0].Confidence
		p.Uncalibrated = uncalibrated
		return nil
	})
	if err != nil {
		return judgedClaim{}, err
	}

	p.Witnesses, err = q.Witnesses(ctx, b, o.Settings, []model.EntityID{found})
	if err != nil {
		return judgedClaim{}, err
	}
	w := &p.Witnesses[0]
	if q.bound.Plan.Semantics != model.FIT {
		p.Degree = float64(w.Degree)
	}
	if entity == judge.AnyEntity && w.Degree > 0 {
		w.Values = slices.Insert(w.Values, 0, q.model.named(q.names.Variables[0][0], w.Answer.ID))
	}
	return p, nil
}
