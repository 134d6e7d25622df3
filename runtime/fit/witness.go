package fit

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Witness says why an entity is an answer: values of the existential variables, and
// to what degree each atom is true of them. Without values there is none among the
// K best.
type Witness struct {
	Answer Entity `json:"answer"`
	// Degree is that of the answer by this disjunct, the product of the atoms'.
	Degree float32 `json:"degree"`
	// SCQ is the disjunct that gives the answer its largest degree, from 0.
	SCQ    int     `json:"disjunct"`
	Values []Value `json:"values,omitempty"`
	Atoms  []Atom  `json:"atoms,omitempty"`
}

// Entity names an entity.
type Entity struct {
	ID    runtime.EntityID `json:"id"`
	Name  string           `json:"name"`
	Label string           `json:"label"`
}

// Value is the value of an existential variable.
type Value struct {
	// Variable is its name in the query.
	Variable string `json:"variable"`
	Entity
}

// Atom is an atom with the values of its terms.
type Atom struct {
	Relation string `json:"relation"`
	Head     Entity `json:"head"`
	Tail     Entity `json:"tail"`
	Negated  bool   `json:"negated,omitempty"`
	// Observed says that the link is in the observed graph; otherwise it is predicted.
	Observed bool `json:"observed"`
	// Degree is that to which the atom, negated or not, counted as true. For an
	// unanchored variable it may be Degrees.Leaf.
	Degree float32 `json:"degree"`
}

// Why explains answers of a query: those given, or else the K that it answers under the
// options, in order. Of the options it reads K and Settings.
func Why(ctx context.Context, q *runtime.Query, b runtime.Bindings, o runtime.Options, answers []runtime.EntityID) ([]Witness, error) {
	if len(answers) == 0 {
		r, err := q.Answer(ctx, b, runtime.Options{K: o.K, Settings: o.Settings, NoStatus: true})
		if err != nil {
			return nil, err
		}
		for _, a := range r.Answers {
			answers = append(answers, a.Entity)
		}
	}
	return Witnesses(ctx, q, b, o.Settings, answers)
}

// Witnesses returns the best witness for each of the answers, in order, by the truth
// degrees of the query: those that its plan computes, or that of Plan.Degrees. Settings
// that are nil are the model's.
func Witnesses(ctx context.Context, q *runtime.Query, b runtime.Bindings, s *runtime.Settings, answers []runtime.EntityID) ([]Witness, error) {
	shape := q.Plan().Shape
	if q = q.Degrees(); q == nil {
		return nil, fmt.Errorf("plan %s has no truth degrees to explain answers by: compile it with semantics %s or %s", shape, runtime.FIT, runtime.Mixed)
	}
	plan, model := q.Plan(), q.Model()
	for _, a := range answers {
		if a < 0 || int(a) >= model.NumEntities() {
			return nil, fmt.Errorf("entity %d is not in the model: it has %d entities", a, model.NumEntities())
		}
	}
	var witnesses []Witness
	err := q.Run(ctx, b, s, func(w *runtime.Workspace) error {
		m := In(w)
		answer := m.written(w.Answer())
		for _, a := range answers {
			t := &tracer{Machine: m, bindings: b, patterns: plan.Patterns}
			x, err := t.witness(q, answer, int32(a))
			if err != nil {
				return err
			}
			witnesses = append(witnesses, x)
		}
		return nil
	})
	return witnesses, err
}

// witness traces the answer's degree.
func (t *tracer) witness(q *runtime.Query, s *Set, answer int32) (Witness, error) {
	w := Witness{Answer: entity(q.Model(), answer)}
	if s.made.op == either {
		best := s
		for i, x := range s.made.with {
			if d := x.single().at(answer); d > w.Degree {
				w.Degree, w.SCQ, best = d, i, x
			}
		}
		s = best
	} else {
		w.Degree = s.single().at(answer)
	}
	if w.Degree == 0 {
		return w, nil
	}
	pattern := &t.patterns[w.SCQ]
	t.values, t.degrees = make([]int32, len(pattern.Variables)), make([]float32, len(pattern.Atoms))
	t.values[0] = answer
	if err := t.trace(s, 0, answer); err != nil {
		return w, err
	}
	names := q.VariableNames(w.SCQ)
	for v := range pattern.Variables[1:] {
		w.Values = append(w.Values, Value{names[v+1], entity(q.Model(), t.values[v+1])})
	}
	for i, a := range pattern.Atoms {
		r, h, tail := t.bindings.Relations[a.Relation], t.value(a.Head), t.value(a.Tail)
		w.Atoms = append(w.Atoms, Atom{
			Relation: q.Model().RelationName(r), Head: entity(q.Model(), h), Tail: entity(q.Model(), tail), Negated: a.Negated,
			Observed: q.Model().Graph.Has(runtime.EntityID(h), r, runtime.EntityID(tail)), Degree: t.degrees[i],
		})
	}
	return w, nil
}

func entity(m *runtime.Model, id int32) Entity {
	x := runtime.EntityID(id)
	return Entity{ID: x, Name: m.EntityName(x), Label: m.EntityLabel(x)}
}

// value returns the entity of a term.
func (t *tracer) value(x runtime.Term) int32 {
	if x.Constant {
		return int32(t.bindings.Constants[x.Index])
	}
	return t.values[x.Index]
}
