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

// anyEntity leaves open which entity must be the answer to a part of a verdict.
const anyEntity = model.EntityID(-1)

// Likely is the least confidence of what counts as true although it is not known: it is more
// likely true than not.
const Likely = 0.5

// Verdict is the answer to a sentence, which asks yes or no.
type Verdict struct {
	// Holds says that the sentence is known, or predicted with a confidence of at least Likely.
	Holds bool `json:"holds"`
	// Status is the status of the whole sentence: Known if it follows from the observed graph, or else
	// Confirmed if it follows once the facts held back are added, which may also refute it.
	Status Status `json:"status"`
	// Confidence is the probability that the best witness is right, calibrated as for a Row:
	// the product over the claims of its disjunct. Other witnesses may be right where this one is
	// not, so it is a lower bound. It is 0 if there is none; Uncalibrated then says why.
	Confidence   float64 `json:"confidence,omitempty"`
	Uncalibrated string  `json:"uncalibrated,omitempty"`
	// Degree is the truth degree of the sentence, as package compiler defines it.
	Degree    float64         `json:"degree"`
	Semantics model.Semantics `json:"semantics"`
	// Witnesses has a witness for each claim of the best disjunct: a known one, or else the one with
	// the greatest confidence, or degree if there is none.
	Witnesses []Witness `json:"witnesses"`
}

// decide answers a question for a verdict: it holds if all parts of one of its disjuncts do. It uses only Settings
// and Budget of the options.
func (q *Question) decide(ctx context.Context, a Args, o Options) (*Verdict, error) {
	asked := make([]Asked, len(q.parts))
	for i, part := range q.parts {
		asked[i] = Asked{part, q.PartBindings(i, a)}
	}
	parts := make([]judgedClaim, len(asked))
	for i, x := range snapshots(asked) {
		entity := anyEntity
		if at := q.spec.Parts[i].At; at != nil {
			entity = at.Entity(q.ids, a, nil)
		}
		var err error
		parts[i], err = x.Query.claim(ctx, x.Bindings, o, entity)
		if err != nil {
			return nil, x.Query.fail(err)
		}
	}

	var best *Verdict
	var follows [2]truth
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

	best.Status = statusBy(follows)
	best.Degree = 1 - missed
	best.Holds = best.Status == Known || best.Confidence >= Likely
	return best, nil
}

// judgedClaim is a claim with the verdict on its best witness.
type judgedClaim struct {
	*Verdict
	// follows says whether the claim follows from the observed facts, and whether it does with
	// those held back, if there are any.
	follows [2]truth
}

// truth is whether something follows from facts. A conjunction has the least truth of its parts, a
// disjunction the greatest.
type truth uint8

const (
	fails   truth = iota
	unclear       // within the budget
	holds
)

// statusBy returns the status of what follows from the observed facts, and with those held back.
func statusBy(follows [2]truth) Status {
	switch {
	case follows[0] == holds:
		return Known
	case follows[0] == unclear:
		return Undecided
	case follows[1] == holds:
		return Confirmed
	}
	return Predicted
}

// conjunction returns the verdict on several claims together, and whether all follow from the same
// facts: a claim that follows from one graph may not follow from another.
func conjunction(claims []int, parts []judgedClaim) (v *Verdict, follows [2]truth) {
	v = &Verdict{Confidence: 1, Degree: 1}
	follows = [2]truth{holds, holds}
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
	v.Status = statusBy(follows)
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

	p := judgedClaim{Verdict: &Verdict{Semantics: q.plan.Semantics}}
	c := q.newChecker(ctx, b, o)
	found := entity
	var known []int32
	known, p.follows = c.follow(entity)
	if ctx.Err() != nil {
		return judgedClaim{}, ctx.Err()
	}
	err = q.Each(ctx, []scq.Bindings{b}, o.Settings, func(_ int, r *Run) error {
		answer := r.Scores()
		if entity == anyEntity {
			var top rank.Ranked
			found, top = c.bestOf(known, answer)
			p.Degree = float64(top.Score)
		} else {
			p.Degree = float64(answer[entity])
		}
		judged, err := r.Judge(o, []model.EntityID{found})
		if err == nil {
			p.Confidence = judged.Rows[0].Confidence
			p.Uncalibrated = judged.Uncalibrated
		}
		return err
	})
	if err != nil {
		return judgedClaim{}, err
	}

	p.Witnesses, err = q.Witnesses(ctx, b, o.Settings, []model.EntityID{found})
	if err != nil {
		return judgedClaim{}, err
	}
	w := &p.Witnesses[0]
	if q.plan.Semantics != model.FIT {
		p.Degree = float64(w.Degree)
	}
	if entity == anyEntity && w.Degree > 0 {
		w.Values = slices.Insert(w.Values, 0, q.model.named(q.names.Variables[0][0], w.Answer.ID))
	}
	return p, nil
}

// follow returns the known answers, restricted to the given entity unless it is anyEntity, and by
// which facts there is an answer.
func (c *checker) follow(entity model.EntityID) (known []int32, follows [2]truth) {
	var within []int32
	if entity != anyEntity {
		within = []int32{int32(entity)}
	}
	for i := range c.facts {
		found, complete := c.following(c.facts[:i+1], within)
		switch {
		case len(found) > 0:
			follows[i] = holds
		case !complete:
			follows[i] = unclear
		}
		if i == 0 {
			known = found
		}
		if follows[i] == holds && !scq.Negates(c.patterns) { // further facts do not refute it
			follows[1] = holds
			break
		}
	}
	return known, follows
}

// bestOf returns the known answer with the largest score, or the answer if none is known, and the
// answer with the largest score.
func (c *checker) bestOf(known []int32, scores plan.Vector) (model.EntityID, rank.Ranked) {
	top := rank.Ranked{}
	first := rank.Ranked{Entity: anyEntity, Score: -1} // all may be excluded
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
	for _, e := range known {
		better(&first, model.EntityID(e))
	}
	if first.Entity == anyEntity {
		first = top
	}
	return first.Entity, top
}
