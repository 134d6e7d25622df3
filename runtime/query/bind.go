package query

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// binding is what a plan with a Bind function needs besides a model.
type binding struct {
	fixed   scq.Bindings // what the names in the query stand for
	kept    atomic.Pointer[boundState]
	keeping sync.Mutex // while kept is computed, which others wait for
}

// boundState is what a plan computed when its query was bound, under the settings that
// it depends on.
type boundState struct {
	alpha, weight, epsilon float64
	lambda                 float64 // of a disjunct's readout
	vectors                []Vector
	embeddings             []Embedding
}

// NewBound binds a plan that has a Bind function. bindings holds what the names in the query
// stand for, and anything in the other slots. What depends only on those names is computed now,
// with the model's settings; a device computes it with each query instead.
func NewBound(m *Model, p *Plan, names Names, bindings scq.Bindings) (*Query, error) {
	q, err := NewBoundLazily(m, p, names, bindings)
	if err != nil || q.binding == nil {
		return q, err
	}
	err = q.guard(func() error {
		_, err := q.bound(context.Background(), q.model.Manifest.Settings)
		return err
	})
	return q, q.fail(err)
}

// NewBoundLazily is NewBound, but defers to the first answer what depends only on names. A plan
// without a Bind function takes any bindings.
func NewBoundLazily(m *Model, p *Plan, names Names, bindings scq.Bindings) (*Query, error) {
	q, err := New(m, p, names)
	if err != nil || q.binding == nil {
		return q, err
	}
	if err := q.checkBindings(bindings); err != nil {
		return nil, q.fail(err)
	}
	q.binding.fixed = bindings
	return q, nil
}

// bound returns what binding keeps under the given settings. It is computed again
// if they differ from those of the last call, and then kept instead.
func (x *executor) bound(ctx context.Context, s model.Settings) (*boundState, error) {
	if x.binding == nil {
		return nil, nil
	}
	if k := x.binding.under(s); k != nil {
		return k, nil
	}
	x.binding.keeping.Lock()
	defer x.binding.keeping.Unlock()
	if k := x.binding.under(s); k != nil { // another query computed it meanwhile
		return k, nil
	}
	k := &boundState{alpha: s.Alpha, weight: s.Weight, epsilon: s.Epsilon, lambda: s.Lambda}
	for range x.plan.KeptVectors {
		k.vectors = append(k.vectors, make(Vector, x.model.NumEntities()))
	}
	for range x.plan.KeptEmbeddings {
		k.embeddings = append(k.embeddings, make(Embedding, 2*x.model.Predictor.Rank))
	}
	err := x.lend(func(w *Workspace) error {
		w.begin(ctx, nil)
		w.bindings, w.settings, w.kept, w.places = x.binding.fixed, s, k, x.plan.BindPlaces
		return x.plan.Bind(w)
	})
	if err != nil {
		return nil, err
	}
	x.binding.kept.Store(k)
	return k, nil
}

// under returns what was kept, nil if that was not under these settings.
func (b *binding) under(s model.Settings) *boundState {
	if k := b.kept.Load(); k != nil && k.alpha == s.Alpha && k.weight == s.Weight && k.epsilon == s.Epsilon && k.lambda == s.Lambda {
		return k
	}
	return nil
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
			return outside(q.names.Constants, i, "entity", int(e), m.NumEntities(), "entities")
		}
	}
	for i, r := range b.Relations {
		if r < 0 || int(r) >= m.NumRelations() {
			return outside(q.names.Relations, i, "relation", int(r), m.NumRelations(), "relations with inverses")
		}
	}
	return nil
}

// outside is the error for a slot that holds an id which the model lacks. A negative one
// is what a parameter gives that was not set.
func outside(parameters []string, slot int, kind string, id, n int, things string) error {
	if slot >= len(parameters) || parameters[slot] == "" {
		return fmt.Errorf("%s %d is not in the model: it has %d %s", kind, id, n, things)
	}
	if id < 0 {
		return fmt.Errorf("parameter %s is not set: want the %s that Model.%s%s finds by its name", parameters[slot], kind, strings.ToUpper(kind[:1]), kind[1:])
	}
	return fmt.Errorf("parameter %s: %s %d is not in the model: it has %d %s", parameters[slot], kind, id, n, things)
}
