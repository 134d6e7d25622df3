package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Claim says that a question has an answer.
type Claim struct {
	Question
	// Entity must be the answer; AnyEntity leaves it open.
	Entity model.EntityID
}

// AnyEntity stands for any entity in a Claim.
const AnyEntity = model.EntityID(-1)

// Likely is the least confidence of what counts as true although it is not known: it is more
// likely true than not.
const Likely = 0.5

// Verdict is the answer to a sentence, which asks yes or no.
type Verdict struct {
	// Holds says that the sentence is known, or predicted with a confidence of at least Likely.
	Holds bool `json:"holds"`
	// Status is Known if the sentence follows from the observed graph; otherwise that of its
	// best witness.
	Status Status `json:"status"`
	// Confidence is the probability that the best witness is right, calibrated as for an Answer:
	// the product over the claims of its disjunct. Other witnesses may be right where this one is
	// not, so it is a lower bound. It is 0 if there is none; Uncalibrated then says why.
	Confidence   float64 `json:"confidence,omitempty"`
	Uncalibrated string  `json:"uncalibrated,omitempty"`
	// Degree is the truth degree of the sentence, as package compiler defines it.
	Degree    float64         `json:"degree"`
	Semantics model.Semantics `json:"semantics"`
	// Witnesses are those of the claims of the best disjunct: a known one, or else the one with
	// the greatest confidence, or degree if there is none.
	Witnesses []Witness `json:"witnesses"`
}

// Decide answers a sentence: it holds if all claims of one of its disjuncts do, which name them
// by index. It uses only Settings and Budget of the options.
func Decide(ctx context.Context, disjuncts [][]int, claims []Claim, o Options) (*Verdict, error) {
	questions := make([]Question, len(claims))
	for i, c := range claims {
		questions[i] = c.Question
	}
	parts := make([]*Verdict, len(claims))
	for i, x := range snapshots(questions) {
		var err error
		if parts[i], err = x.Query.claim(ctx, x.Bindings, o, claims[i].Entity); err != nil {
			return nil, x.Query.fail(err)
		}
	}
	var best *Verdict
	missed := 1.0 // the degree to which no disjunct holds
	for _, d := range disjuncts {
		v := conjunction(d, parts)
		missed *= 1 - v.Degree
		if best == nil || v.better(best) {
			best = v
		}
	}
	best.Degree = 1 - missed
	best.Holds = best.Status == Known || best.Confidence >= Likely
	return best, nil
}

// conjunction returns the verdict on several claims together.
func conjunction(claims []int, parts []*Verdict) *Verdict {
	v := &Verdict{Status: Known, Confidence: 1, Degree: 1}
	for _, i := range claims {
		p := parts[i]
		if slices.Index(doubt, p.Status) > slices.Index(doubt, v.Status) {
			v.Status = p.Status
		}
		v.Confidence *= p.Confidence
		v.Degree *= p.Degree
		v.Uncalibrated, v.Semantics = cmp.Or(v.Uncalibrated, p.Uncalibrated), p.Semantics
		v.Witnesses = append(v.Witnesses, p.Witnesses...)
	}
	return v
}

// doubt orders statuses: a conjunction has the last one of its parts.
var doubt = []Status{Known, Confirmed, Undecided, Predicted}

// better reports whether a disjunct is rather the reason for a sentence than another one.
func (v *Verdict) better(than *Verdict) bool {
	if known := v.Status == Known; known != (than.Status == Known) {
		return known
	}
	return cmp.Or(cmp.Compare(v.Confidence, than.Confidence), cmp.Compare(v.Degree, than.Degree)) > 0
}

// claim returns the verdict on a claim, by its best witness: if any entity will do, the known
// answer, or else the answer, with the largest score.
func (q *Query) claim(ctx context.Context, b scq.Bindings, o Options, entity model.EntityID) (*Verdict, error) {
	if q.model.Split() {
		return nil, ErrNeedsWhole
	}
	o, err := q.check(b, Options{Settings: o.Settings, Budget: o.Budget})
	if err != nil {
		return nil, err
	}
	if int(entity) >= q.model.NumEntities() {
		return nil, fmt.Errorf("entity %d is not in the model: it has %d entities", entity, q.model.NumEntities())
	}
	v, found := &Verdict{Semantics: q.plan.Semantics}, entity
	err = q.scoresBatch(ctx, []scq.Bindings{b}, o.Settings, func(_ int, answer plan.Vector, _ []plan.Vector, find findLinks) error {
		if entity == AnyEntity {
			var top rank.Ranked
			if found, top, err = q.best(ctx, b, o, answer); err != nil {
				return err
			}
			v.Degree = float64(top.Score)
		} else {
			v.Degree = float64(answer[entity])
		}
		r, err := q.judge(ctx, b, o, find, answer, []model.EntityID{found})
		if err == nil {
			v.Status, v.Confidence, v.Uncalibrated = r.Answers[0].Status, r.Answers[0].Confidence, r.Uncalibrated
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.Witnesses, err = q.Witnesses(ctx, b, o.Settings, []model.EntityID{found}); err != nil {
		return nil, err
	}
	w := &v.Witnesses[0]
	if q.plan.Semantics != model.FIT {
		v.Degree = float64(w.Degree)
	}
	if entity == AnyEntity && w.Degree > 0 {
		w.Values = append([]WitnessValue{{q.names.Variables[0][0], w.Answer}}, w.Values...)
	}
	return v, nil
}

// best returns the known answer with the largest score, or the answer if none is known, and the
// answer with the largest score.
func (q *Query) best(ctx context.Context, b scq.Bindings, o Options, scores plan.Vector) (model.EntityID, rank.Ranked, error) {
	c := q.newChecker(ctx, b, o)
	top, first := rank.Ranked{}, rank.Ranked{Entity: AnyEntity, Score: -1} // all may be excluded
	better := func(x *rank.Ranked, e model.EntityID) {
		if scores[e] > x.Score {
			*x = rank.Ranked{Entity: e, Score: scores[e]}
		}
	}
	for e := range scores {
		if e := model.EntityID(e); !c.excluded(e) {
			better(&top, e)
		}
	}
	known, err := c.solver.Answers(q.model.Graph, c.patterns, b)
	if err != nil { // too much work: the status of the best one may be found
		return top.Entity, top, ctx.Err()
	}
	for _, e := range known {
		better(&first, model.EntityID(e))
	}
	if first.Entity == AnyEntity {
		first = top
	}
	return first.Entity, top, nil
}
