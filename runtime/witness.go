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

// Witness says why an entity is an answer: the values of the existential variables, and the
// degree to which each atom is true of them. It has no values if there is none among the K
// best.
type Witness struct {
	Answer Value `json:"answer"`
	// Degree is the degree of the answer by this disjunct, the product of its atoms' degrees.
	Degree float32 `json:"degree"`
	// Disjunct is the one that gives the answer its largest degree, from 0.
	Disjunct int           `json:"disjunct"`
	Values   []Value       `json:"values,omitempty"`
	Atoms    []WitnessAtom `json:"atoms,omitempty"`
}

// values returns the values of a witness, none if it is nil.
func (w *Witness) values() []Value {
	if w == nil {
		return nil
	}
	return w.Values
}

// WitnessAtom is an atom with the values of its terms, in the direction of the query.
type WitnessAtom struct {
	Relation string `json:"relation"`
	Head     Value  `json:"head"`
	Tail     Value  `json:"tail"`
	Negated  bool   `json:"negated,omitempty"`
	// Observed says that the link is in the observed graph; otherwise it is predicted.
	Observed bool `json:"observed"`
	// Degree is the degree to which the atom, negated or not, counted as true. For a
	// variable that no entity informs it may be Degrees.Leaf.
	Degree float32 `json:"degree"`
	// Confidence is the probability that a predicted link is a true fact, or a false one if the atom is
	// negated. This package leaves it 0 for programs to set.
	Confidence float64 `json:"confidence,omitempty"`
	// Added says who added an observed link and when, if the journal knows.
	Added *model.Origin `json:"added,omitempty"`
}

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
