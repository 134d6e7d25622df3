package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// witnesses returns the best witness of each answer, in order, by truth degrees.
func (q *query) witnesses(ctx context.Context, b scq.Bindings, s *model.Settings, answers []graph.EntityID) ([]Witness, error) {
	witnesses, err := q.allWitnesses(ctx, []scq.Bindings{b}, s, [][]graph.EntityID{answers})
	if err != nil {
		return nil, err
	}
	return witnesses[0], nil
}

// allWitnesses is witnesses for a batch of runs.
func (q *query) allWitnesses(ctx context.Context, batch []scq.Bindings, s *model.Settings, answers [][]graph.EntityID) ([][]Witness, error) {
	by := q.explains()
	if by == nil {
		return nil, fmt.Errorf("plan %s has no truth degrees to explain answers by: compile it with semantics %s or %s", q.bound.Plan.Shape, model.FIT, model.Mixed)
	}
	for _, a := range slices.Concat(answers...) {
		if err := checkID("", plan.EntityParam, int(a), by.model.NumEntities()); err != nil {
			return nil, err
		}
	}
	o, err := by.options(Options{Settings: s})
	if err != nil {
		return nil, by.fail(err)
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

// addType adds the type that an answer must have.
func (w *Witness) addType(m *Model, t model.Type, e graph.EntityID) {
	if t == (model.Type{}) {
		return
	}
	atom := m.Stored(e, t.Relation.ID(), t.Entity.ID())
	atom.Observed = m.bundle.Graph.Has(e, t.Relation.ID(), t.Entity.ID())
	if !atom.Observed {
		atom.Degree = explain.Refuted
		atom.Fails = string(explain.FailsPredicted)
		w.Degree *= atom.Degree
	}
	w.Atoms = append(w.Atoms, atom)
}

// show sets Shown of each answer: the values of the variables in the options, from its best witness.
func (q *query) show(ctx context.Context, b scq.Bindings, o Options, r *Reply) error {
	if len(o.Show) == 0 || len(r.Rows) == 0 {
		return nil
	}
	var ids []graph.EntityID
	for _, row := range r.Rows {
		ids = append(ids, row.Values[0].ID)
	}
	witnesses, err := q.witnesses(ctx, b, o.Settings, ids)
	if err != nil {
		return err
	}
	for i, w := range witnesses {
		shown := []Value{}
		for _, name := range o.Show {
			at := slices.IndexFunc(w.Values, func(v Value) bool { return v.Variable == name })
			if at >= 0 {
				shown = append(shown, w.Values[at])
			}
		}
		r.Rows[i].Shown = shown
	}
	return nil
}
