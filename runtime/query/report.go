package query

import (
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// rankAll picks the best entities out of a plan's vectors, unless those of the answer are
// known.
func (w *Workspace) rankAll(o Options) rank.Ranking {
	r := rank.Ranking{Answer: w.readout.best}
	if r.Answer == nil {
		r.Answer = rank.Top(w.answer, o.K)
	}
	if o.SetSize > 0 {
		for _, set := range w.sets {
			r.Sets = append(r.Sets, rank.Top(set, o.SetSize))
		}
	}
	return r
}

// report names the best entities and says of each answer how it relates to the
// graph.
func (q *Query) report(ctx context.Context, b scq.Bindings, o Options, best rank.Ranking) (*Answers, error) {
	r := &Answers{Variable: q.names.Variables[0][0]}
	for _, e := range best.Answer {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.excluded(b, e.Entity) {
			continue
		}
		a := Answer{Member: q.member(e)}
		if !o.NoStatus {
			a.Status = q.status(b, e.Entity, o.Budget)
		}
		r.Answers = append(r.Answers, a)
	}
	if o.SetSize == 0 {
		return r, nil
	}
	for i, s := range q.plan.Sets {
		set := FuzzySet{SCQ: s.SCQ, Variable: q.names.Variables[s.SCQ][s.Variable]}
		for _, e := range best.Sets[i] {
			set.Top = append(set.Top, q.member(e))
		}
		r.Sets = append(r.Sets, set)
	}
	return r, nil
}

// excluded reports whether the query says that no answer is e. Its probability is 0, but
// where fewer than K entities have more it is among the best.
func (q *Query) excluded(b scq.Bindings, e model.EntityID) bool {
	for i := range q.plan.Patterns {
		if !q.plan.Patterns[i].Excludes(b, e) {
			return false
		}
	}
	return len(q.plan.Patterns) > 0
}

func (q *Query) member(e rank.Ranked) Member {
	return Member{Entity: e.Entity, Name: q.model.EntityName(e.Entity), Label: q.model.EntityLabel(e.Entity), Probability: e.Probability}
}

// status tells whether an answer follows from the observed graph, or from it
// together with the facts held back.
func (q *Query) status(b scq.Bindings, e model.EntityID, budget int) Status {
	known := q.follows(b, e, budget, q.model.Graph)
	if known != Predicted || q.model.Heldout == nil {
		return known
	}
	if q.follows(b, e, budget, q.model.Graph, q.model.Heldout) == Known {
		return Confirmed
	}
	return Predicted
}

// follows is Known, Predicted or Undecided by the union of the given graphs.
func (q *Query) follows(b scq.Bindings, e model.EntityID, budget int, graphs ...*model.Graph) Status {
	status := Predicted
	for i := range q.plan.Patterns {
		holds, complete := scq.Holds(graphs, &q.plan.Patterns[i], b, e, budget)
		if holds {
			return Known
		}
		if !complete {
			status = Undecided
		}
	}
	return status
}
