package runtime

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
)

// Bind binds a question to the model. Generated code and package compiler call it. The error lists all names that the
// model lacks.
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
	switch {
	case s.Kind != plan.Rows:
	case m.shards != nil:
		return nil, q.fail(ErrNeedsWhole)
	case m.device != nil:
		return nil, q.fail(errors.New("a query with several answer variables is answered in main memory: bind it to a model there"))
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
	q.columns = columns(s)
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

// bindFilters checks the filters and parses their values.
func (q *Question) bindFilters() error {
	now := q.model.Now().bundle
	q.spans = make([][]values.Span, len(q.spec.Conditions))
	for i, f := range q.spec.Conditions {
		var err error
		q.spans[i], err = now.Spans(f)
		if err != nil {
			return err
		}
	}
	return nil
}

// bindPart binds the plan of a part.
func (q *Question) bindPart(p *plan.Part) (*query, error) {
	if err := checkSlots(p); err != nil {
		return nil, q.fail(err)
	}
	part, err := newQuery(q.model, p, q.spec.Name)
	if err != nil {
		return nil, err
	}
	part.limit = q.ids.Type
	return part, nil
}

// checkSlots reports slots that do not fit the plan of a part.
func checkSlots(p *plan.Part) error {
	if len(p.Constants) != p.Plan.Constants || len(p.Relations) != p.Plan.Relations || len(p.Filters) != p.Plan.Filters {
		return fmt.Errorf("shape %s takes %d entities, %d relations and %d filters, got %d, %d and %d", p.Plan.Shape,
			p.Plan.Constants, p.Plan.Relations, p.Plan.Filters, len(p.Constants), len(p.Relations), len(p.Filters))
	}
	return nil
}
