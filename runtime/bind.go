package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// NewBound binds a plan that has a Bind function. bindings holds what the names in the query
// stand for, and anything in the other slots. What depends only on those names is computed now,
// with the model's settings; a device computes it with each query instead.
func NewBound(m *Model, p *plan.Plan, names plan.Names, bindings scq.Bindings) (*Query, error) {
	q, err := NewBoundLazily(m, p, names, bindings)
	if err != nil {
		return nil, err
	}
	l, is := q.local()
	if !is || !l.Binds() {
		return q, nil
	}
	err = q.guard(func() error { return l.Prepare(context.Background(), q.model.Manifest.Settings) })
	return q, q.fail(err)
}

// NewBoundLazily is NewBound, but defers to the first answer what depends only on names. A plan
// without a Bind function takes any bindings.
func NewBoundLazily(m *Model, p *plan.Plan, names plan.Names, bindings scq.Bindings) (*Query, error) {
	q, err := New(m, p, names)
	if err != nil {
		return nil, err
	}
	l, is := q.local()
	if !is || !l.Binds() {
		return q, nil
	}
	if err := q.checkBindings(bindings); err != nil {
		return nil, q.fail(err)
	}
	l.Bind(bindings)
	return q, nil
}

// checkBindings reports a slot that is unfilled, or filled with an id that the
// model lacks.
func (q *Query) checkBindings(b scq.Bindings) error {
	p, m := q.plan, q.model
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
