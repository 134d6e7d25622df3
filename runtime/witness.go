package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/scq"
)

// Witnesses returns the best witness of each answer, in order, by the truth degrees of the query's own
// plan, or of Plan.Degrees. nil settings are the model's.
func (q *Query) Witnesses(ctx context.Context, b scq.Bindings, s *model.Settings, answers []model.EntityID) ([]Witness, error) {
	witnesses, err := q.witnesses(ctx, []scq.Bindings{b}, s, [][]model.EntityID{answers})
	if err != nil {
		return nil, err
	}
	return witnesses[0], nil
}

// witnesses is Witnesses for several questions, which run together.
func (q *Query) witnesses(ctx context.Context, batch []scq.Bindings, s *model.Settings, answers [][]model.EntityID) ([][]Witness, error) {
	by := q.Snapshot().explainer()
	if by == nil {
		return nil, fmt.Errorf("plan %s has no truth degrees to explain answers by: compile it with semantics %s or %s", q.Plan().Shape, model.FIT, model.Mixed)
	}
	for _, a := range slices.Concat(answers...) {
		if a < 0 || int(a) >= by.model.NumEntities() {
			return nil, fmt.Errorf("entity %d is not in the model: it has %d entities", a, by.model.NumEntities())
		}
	}
	o, err := by.checkAll(batch, s)
	if err != nil {
		return nil, err
	}
	found, err := explain.Batch(ctx, &by.bound, batch, o.Settings, answers)
	if err != nil {
		return nil, by.fail(err)
	}
	witnesses := make([][]Witness, len(found))
	for i := range found {
		for k := range found[i] {
			if err := pause.Here(ctx); err != nil {
				return nil, err
			}
			witnesses[i] = append(witnesses[i], by.witness(&found[i][k]))
		}
	}
	return witnesses, nil
}

// Show sets the Shown values of answers to the values of some existential variables in the best witness of
// each: see Options.Show. nil settings are the model's.
func (q *Query) Show(ctx context.Context, b scq.Bindings, s *model.Settings, r *Reply, variables []string) error {
	if err := q.CheckShow(variables); err != nil {
		return q.fail(err)
	}
	if len(variables) == 0 || len(r.Rows) == 0 {
		return nil
	}
	q = q.Snapshot()
	var ids []model.EntityID
	for _, row := range r.Rows {
		ids = append(ids, row.Values[0].ID)
	}
	witnesses, err := q.Witnesses(ctx, b, s, ids)
	if err != nil {
		return err
	}
	for i, w := range witnesses {
		shown := []Value{}
		for _, name := range variables {
			at := slices.IndexFunc(w.Values, func(v Value) bool { return v.Variable == name })
			if at >= 0 {
				shown = append(shown, w.Values[at])
			}
		}
		r.Rows[i].Shown = shown
	}
	return nil
}

// shown completes what was answered by the values that the options ask for.
func (q *Query) shown(ctx context.Context, b scq.Bindings, o Options, r *Reply, err error) (*Reply, error) {
	if err != nil || len(o.Show) == 0 {
		return r, q.fail(err)
	}
	if err := q.Show(ctx, b, o.Settings, r, o.Show); err != nil {
		return nil, err
	}
	return r, nil
}
