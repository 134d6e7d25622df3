package judge

import (
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Whole is a disjunct of a question with several answer variables, in which all of them are variables.
type Whole struct {
	Disjunct *scq.Disjunct
	Bindings scq.Bindings
	Places   []int // of the answer variables in the disjunct
}

// Within returns, by variable of the disjunct, the entities that it may be: the answer variables the given
// values, others any.
func (w *Whole) Within(values []model.EntityID) [][]int32 {
	within := make([][]int32, len(w.Disjunct.Variables))
	for v, e := range values {
		within[w.Places[v]] = []int32{int32(e)}
	}
	return within
}

// Rows judges the rows of a question with several answer variables.
type Rows struct {
	Model     *model.Model
	Semantics model.Semantics
	Settings  *model.Settings
	Wholes    []Whole
	HeldOut   float64 // see Asking
	NoStatus  bool
	Budget    int // of each exact traversal
}

// Statuses finds the statuses of rows: a row follows if a disjunct does in which the answer variables have its
// values.
func (r *Rows) Statuses(ctx context.Context, rows [][]model.EntityID) []Status {
	list := make([]Status, len(rows))
	if r.NoStatus {
		return list
	}
	solver := exact.Solver{Context: ctx, Budget: r.Budget}
	facts := appendFacts(nil, r.Model)
	for i, values := range rows {
		var follows Follows
		for k := range facts {
			follows[k] = r.follows(&solver, facts[:k+1], values)
			if follows[k] != Fails {
				break
			}
		}
		list[i] = follows.Status()
	}
	return list
}

// follows says whether a row follows from facts by a disjunct.
func (r *Rows) follows(solver *exact.Solver, facts exact.Facts, values []model.EntityID) Truth {
	truth := Fails
	for i := range r.Wholes {
		w := &r.Wholes[i]
		found, err := solver.Values(facts, w.Disjunct, w.Bindings, 0, w.Within(values))
		switch {
		case err != nil:
			truth = Unclear
		case len(found) > 0:
			return Holds
		}
	}
	return truth
}

// Explained is a row with what its confidence follows from.
type Explained struct {
	Score  float32
	Degree float64   // of its best witness
	Link   plan.Link // the weakest predicted link of that
	Status Status
}

// Confide returns the confidence of rows, or why there is none; best is the first that is not known, nil if all are
// known.
func (r *Rows) Confide(rows []Explained, best *Explained) (found []Finding, why string) {
	var disjuncts []scq.Disjunct
	for _, w := range r.Wholes {
		disjuncts = append(disjuncts, *w.Disjunct)
	}
	s, why := newScale(r.Model, r.Semantics, r.Settings, r.HeldOut, r.NoStatus, disjuncts)
	if why != "" {
		return nil, why
	}
	found = make([]Finding, len(rows))
	for i, x := range rows {
		if x.Status == Known {
			found[i].Confidence = s.ofKnown()
			continue
		}
		least := s.evidence(best.Score, best.Degree)
		found[i].Basis = &Basis{}
		found[i].Confidence, *found[i].Basis = s.judged(r.Model, s.evidence(x.Score, x.Degree), least, x.Link)
	}
	return found, ""
}
