package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Bind binds a question to the model. Generated code and package compiler call it. It reports all names that the
// model lacks. Plans of what depends on names alone run now, with the model's settings, unless the question is
// Lazy; a device runs them with each question instead.
func (m *Model) Bind(s *plan.Spec) (*Question, error) {
	q := &Question{model: m, spec: s, ids: s.IDs}
	if q.ids == nil {
		var err error
		q.ids, err = m.lookUp(s)
		if err != nil {
			return nil, err
		}
	}
	if s.Kind == plan.Rows && (m.device != nil || m.shards != nil) {
		return nil, q.fail(errTuplesHere)
	}
	for i := range s.Parts {
		part, err := q.bindPart(&s.Parts[i])
		if err != nil {
			return nil, err
		}
		q.parts = append(q.parts, part)
	}
	if s.Kind == plan.Rows {
		var roles []plan.Role
		for _, p := range s.Parts {
			roles = append(roles, p.Role)
		}
		q.rows = newTuples(s.Variables, s.Semantics, roles, q.parts)
	}
	return q, nil
}

// lookUp returns the ids of the names in a question.
func (m *Model) lookUp(s *plan.Spec) (*plan.IDs, error) {
	ids := &plan.IDs{}
	names := &lookup{model: m.Now().Model, query: s.Name}
	for _, a := range s.Aliases {
		names.alias(a.Name, a.Relation, a.Place)
	}
	for _, name := range s.Entities {
		ids.Entities = append(ids.Entities, names.entity(name))
	}
	for _, name := range s.Relations {
		ids.Relations = append(ids.Relations, names.relation(name))
	}
	if t := s.Type; t != nil {
		ids.Type = names.typeOf(t.Relation, t.Inverse, t.Entity)
	}
	return ids, names.err()
}

// bindPart binds the plan of a part.
func (q *Question) bindPart(p *plan.Part) (*Query, error) {
	names := plan.Names{
		Query: q.spec.Name, Variables: p.Variables, Reversed: p.Reversed,
		Constants: q.paramNames(p.Constants), Relations: q.paramNames(p.Relations),
	}
	part, err := New(q.model, p.Plan, names)
	if err != nil {
		return nil, err
	}
	part.limit = q.ids.Type
	anything := p.Bindings(q.ids, make(Args, len(q.spec.Params)), make([]model.EntityID, len(q.spec.Variables)))
	return part, part.bindNames(anything, q.spec.Lazy)
}

// paramNames returns the parameter that fills each slot, "" for other slots.
func (q *Question) paramNames(slots []plan.Slot) []string {
	names := make([]string, len(slots))
	for i, s := range slots {
		if s.From == plan.FromParam {
			names[i] = q.spec.Params[s.Index].Name
		}
	}
	return names
}

// bindNames gives a plan with a Bind function what the names in the query stand for, and runs that function
// unless it shall run with the first question.
func (q *Query) bindNames(bindings scq.Bindings, lazily bool) error {
	l, is := q.local()
	if !is || !l.Binds() {
		return nil
	}
	if err := q.checkBindings(bindings); err != nil {
		return q.fail(err)
	}
	l.Bind(bindings)
	if lazily {
		return nil
	}
	return q.fail(q.guard(func() error { return l.Prepare(context.Background(), q.model.Manifest.Settings) }))
}

// checkBindings reports a slot that is unfilled, or filled with an id that the
// model lacks.
func (q *Query) checkBindings(b scq.Bindings) error {
	p := q.plan
	m := q.model
	if len(b.Constants) != p.Constants || len(b.Relations) != p.Relations {
		return fmt.Errorf("shape %s takes %d entities and %d relations, got %d and %d",
			p.Shape, p.Constants, p.Relations, len(b.Constants), len(b.Relations))
	}
	for i, e := range b.Constants {
		if e < 0 || int(e) >= m.NumEntities() {
			return outside(q.names.Constants, i, "entity", int(e), m.NumEntities())
		}
	}
	for i, r := range b.Relations {
		if r < 0 || int(r) >= m.NumRelations() {
			return outside(q.names.Relations, i, "relation", int(r), m.NumRelations())
		}
	}
	return nil
}

// outside is the error for a slot that holds an id which the model lacks.
func outside(parameters []string, slot int, kind string, id, size int) error {
	err := &ParamError{Kind: kind, ID: id, Size: size}
	if slot < len(parameters) {
		err.Param = parameters[slot]
	}
	return err
}
