package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/pause"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Witness says why an entity is an answer: the values of the existential variables, and the
// degree to which each atom is true of them. It has no values if there is none among the K
// best.
type Witness struct {
	Answer Value `json:"answer"`
	// Degree is the degree of the answer by this disjunct, the product of its atoms' degrees.
	Degree float32 `json:"degree"`
	// SCQ is the disjunct that gives the answer its largest degree, from 0.
	SCQ    int           `json:"disjunct"`
	Values []Value       `json:"values,omitempty"`
	Atoms  []WitnessAtom `json:"atoms,omitempty"`
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

	link plan.Link // as the plan reads it
}

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
	shape := q.Plan().Shape
	q = q.Snapshot().explainer()
	if q == nil {
		return nil, fmt.Errorf("plan %s has no truth degrees to explain answers by: compile it with semantics %s or %s", shape, model.FIT, model.Mixed)
	}
	for _, a := range answers {
		if a < 0 || int(a) >= q.model.NumEntities() {
			return nil, fmt.Errorf("entity %d is not in the model: it has %d entities", a, q.model.NumEntities())
		}
	}
	var witnesses []Witness
	err := q.Each(ctx, []scq.Bindings{b}, s, func(_ int, r *Run) error {
		w, err := r.Workspace()
		if err != nil {
			return err
		}
		if !w.HasLinks() {
			return fmt.Errorf("the plan of shape %s leaves no truth degrees to explain answers by: set its Degrees", shape)
		}
		for _, a := range answers {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			t, err := w.Degrees().Trace(int32(a), q.plan.Patterns)
			if err != nil {
				return err
			}
			witnesses = append(witnesses, q.witness(b, a, t))
		}
		return nil
	})
	return witnesses, err
}

// witness names what the trace of an answer found.
func (q *Query) witness(b scq.Bindings, answer model.EntityID, t fit.Trace) Witness {
	w := Witness{Answer: q.model.Named(int32(answer)), SCQ: t.SCQ, Degree: t.Degree}
	if t.Degree == 0 {
		return w
	}
	value := func(x scq.Term) int32 {
		if x.Constant {
			return int32(b.Constants[x.Index])
		}
		return t.Values[x.Index]
	}
	pattern := &q.plan.Patterns[t.SCQ]
	names := q.names.Variables[t.SCQ]
	for v := range pattern.Variables[1:] {
		w.Values = append(w.Values, q.model.named(names[v+1], model.EntityID(t.Values[v+1])))
	}
	for i, a := range pattern.Atoms {
		if a.Unequal() {
			continue
		}
		r := b.Relations[a.Relation]
		head := value(a.Head)
		tail := value(a.Tail)
		link := plan.Link{Degree: float64(t.Degrees[i]), Relation: r, Head: model.EntityID(head), Tail: model.EntityID(tail), Needed: a.Given()}
		if q.reversed(t.SCQ, i) {
			r, head, tail = r.Inverse(), tail, head
		}
		w.Atoms = append(w.Atoms, WitnessAtom{
			Relation: q.model.RelationName(r), Head: q.model.Named(head), Tail: q.model.Named(tail), Negated: a.Negated,
			Observed: q.model.Graph.Has(model.EntityID(head), r, model.EntityID(tail)), Degree: t.Degrees[i], link: link,
		})
	}
	return w
}

// reversed reports whether the query has an atom of a disjunct from its other end.
func (q *Query) reversed(scq, atom int) bool {
	r := q.names.Reversed
	return r != nil && r[scq] != nil && r[scq][atom]
}
