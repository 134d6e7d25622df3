package runtime

import (
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Bind binds a question to the model. Generated code and package compiler call it. The error lists all names that
// the model lacks. Bind computes what depends on names in the question alone, with the model's settings, unless
// Spec.Lazy is set; on a device, each Ask computes it.
func (m *Model) Bind(s *plan.Spec) (*Question, error) {
	q := &Question{model: m, spec: s, ids: s.IDs}
	if q.ids == nil {
		var err error
		q.ids, err = m.lookUp(s)
		if err != nil {
			return nil, err
		}
	}
	if err := q.bindFilters(); err != nil {
		return nil, q.fail(err)
	}
	if s.Kind == plan.Rows && (m.device != nil || m.shards != nil) {
		return nil, q.fail(errRowsHere)
	}
	for i := range s.Parts {
		part, err := q.bindPart(&s.Parts[i])
		if err != nil {
			return nil, err
		}
		q.parts = append(q.parts, part)
	}
	for v := range s.Variables {
		q.open = append(q.open, search.Placeholder(v))
	}
	if s.Kind == plan.Rows {
		q.rows = rowPartsOf(s)
	}
	return q, nil
}

// lookUp returns the ids of the names in a question.
func (m *Model) lookUp(s *plan.Spec) (*plan.IDs, error) {
	ids := &plan.IDs{}
	names := &lookup{model: m.Now().bundle, query: s.Name}
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

// bindFilters checks the filters and reads the values that they have.
func (q *Question) bindFilters() error {
	now := q.model.Now().bundle
	q.spans = make([][]model.Span, len(q.spec.Filters))
	for i, f := range q.spec.Filters {
		var err error
		q.spans[i], err = now.Spans(f)
		if err != nil {
			return err
		}
	}
	return nil
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
	if p.Plan.Bind == nil {
		return part, nil
	}
	anything := p.Bindings(q.ids, make(Args, len(q.spec.Params)), make([]graph.EntityID, len(q.spec.Variables)))
	anything.Filters = q.selections(q.model.Now(), make(Args, len(q.spec.Params)))
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
