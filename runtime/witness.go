package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Why explains the given answers, or else the K best under the options, in order.
func (q *Query) Why(ctx context.Context, b scq.Bindings, o Options, answers ...model.EntityID) ([]Witness, error) {
	q = q.Snapshot()
	if len(answers) == 0 {
		o.SetSize, o.Show, o.NoStatus = 0, nil, o.Filter.Statuses == 0
		r, err := q.Answer(ctx, b, o)
		if err != nil {
			return nil, err
		}
		for _, row := range r.Rows {
			answers = append(answers, row.Values[0].ID)
		}
	}
	return q.Witnesses(ctx, b, o.Settings, answers)
}

// Witnesses returns the best witness of each answer, in order, by the truth degrees of the query's own
// plan, or of Plan.Degrees. nil settings are the model's.
func (q *Query) Witnesses(ctx context.Context, b scq.Bindings, s *model.Settings, answers []model.EntityID) ([]Witness, error) {
	by, found, err := q.explain(ctx, b, s, answers)
	if err != nil {
		return nil, err
	}
	witnesses := make([]Witness, len(found))
	for i := range found {
		witnesses[i] = by.witness(&found[i])
	}
	return witnesses, nil
}

// explain finds the best witness of each answer, and returns the query that has found them and can name them.
func (q *Query) explain(ctx context.Context, b scq.Bindings, s *model.Settings, answers []model.EntityID) (by *Query, found []explain.Witness, err error) {
	by = q.Snapshot().explainer()
	if by == nil {
		return nil, nil, fmt.Errorf("plan %s has no truth degrees to explain answers by: compile it with semantics %s or %s", q.Plan().Shape, model.FIT, model.Mixed)
	}
	for _, a := range answers {
		if a < 0 || int(a) >= by.model.NumEntities() {
			return nil, nil, fmt.Errorf("entity %d is not in the model: it has %d entities", a, by.model.NumEntities())
		}
	}
	o, err := by.check(b, Options{Settings: s})
	if err != nil {
		return nil, nil, by.fail(err)
	}
	found, err = explain.Answers(ctx, &by.bound, b, o.Settings, answers)
	return by, found, by.fail(err)
}

// witness names what explains an answer.
func (q *Query) witness(x *explain.Witness) Witness {
	m := q.model
	w := Witness{Answer: m.named("", x.Answer), SCQ: x.SCQ, Degree: x.Degree}
	names := q.names.Variables[x.SCQ]
	for v := 1; v < len(x.Values); v++ { // of existential variables
		w.Values = append(w.Values, m.named(names[v], x.Values[v]))
	}
	for _, a := range x.Atoms {
		relation := a.Relation
		head := a.Head
		tail := a.Tail
		if q.reversed(x.SCQ, a.Index) {
			relation = relation.Inverse()
			head, tail = tail, head
		}
		w.Atoms = append(w.Atoms, WitnessAtom{
			Relation: m.RelationName(relation), Head: m.named("", head), Tail: m.named("", tail), Negated: a.Negated,
			Observed: a.Observed, Degree: float32(a.Degree),
		})
	}
	return w
}

// reversed reports whether the query has an atom of a disjunct from its other end.
func (q *Query) reversed(scq, atom int) bool {
	r := q.names.Reversed
	return r != nil && r[scq] != nil && r[scq][atom]
}
