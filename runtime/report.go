package runtime

import (
	"context"
	"errors"
)

// report picks the best answers out of a plan's vectors and says of each how it
// relates to the graph.
func (q *Query) report(ctx context.Context, b Bindings, o Options, answer Vector, sets []Vector) (*Answers, error) {
	r := &Answers{Variable: q.names.Variables[0][0]}
	for _, e := range topK(answer, o.K) {
		if err := ctx.Err(); err != nil {
			return nil, q.fail(err)
		}
		a := Answer{Member: q.member(e, answer)}
		if !o.NoStatus {
			a.Status = q.status(b, e, o.Budget)
		}
		r.Answers = append(r.Answers, a)
	}
	if o.SetSize == 0 {
		return r, nil
	}
	for i, s := range q.plan.Sets {
		set := FuzzySet{SCQ: s.SCQ, Variable: q.names.Variables[s.SCQ][s.Variable]}
		for _, e := range topK(sets[i], o.SetSize) {
			set.Top = append(set.Top, q.member(e, sets[i]))
		}
		r.Sets = append(r.Sets, set)
	}
	return r, nil
}

func (q *Query) member(e EntityID, x Vector) Member {
	return Member{Entity: e, Name: q.model.EntityName(e), Label: q.model.EntityLabel(e), Probability: x[e]}
}

// status tells whether an answer follows from the observed graph, or from it
// together with the facts held back.
func (q *Query) status(b Bindings, e EntityID, budget int) Status {
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
func (q *Query) follows(b Bindings, e EntityID, budget int, graphs ...*Graph) Status {
	status := Predicted
	for i := range q.plan.Patterns {
		holds, complete := Holds(graphs, &q.plan.Patterns[i], b, e, budget)
		if holds {
			return Known
		}
		if !complete {
			status = Undecided
		}
	}
	return status
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
