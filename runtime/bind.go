package runtime

import "context"

// kept is what a plan computed when its query was bound, under the settings that
// it depends on.
type kept struct {
	alpha, weight, epsilon float64
	vectors                []Vector
	embeddings             []Embedding
}

// NewBoundQuery binds a plan that has a Bind function: bindings holds what the
// names in the query stand for, and anything in the other slots. What depends on
// those names alone is computed now, with the model's settings; a device computes it
// with each query instead.
func NewBoundQuery(m AnyModel, p *Plan, names QueryNames, bindings Bindings) (*Query, error) {
	q, err := NewQuery(m, p, names)
	if err != nil {
		return nil, err
	}
	if err := p.checkBindings(q.model, bindings); err != nil {
		return nil, q.fail(err)
	}
	q.fixed = bindings
	err = q.guard(func() error {
		_, err := q.bound(context.Background(), q.model.Manifest.settingsOf(p))
		return err
	})
	return q, err
}

// bound returns what binding keeps under the given settings. It is computed again
// if they differ from those of the last call, and then kept instead.
func (q *Query) bound(ctx context.Context, s Settings) (*kept, error) {
	if q.plan.Bind == nil {
		return nil, nil
	}
	if k := q.kept.Load(); k != nil && k.alpha == s.Alpha && k.weight == s.Weight && k.epsilon == s.Epsilon {
		return k, nil
	}
	k := &kept{alpha: s.Alpha, weight: s.Weight, epsilon: s.Epsilon}
	for range q.plan.KeptVectors {
		k.vectors = append(k.vectors, make(Vector, q.model.NumEntities()))
	}
	for range q.plan.KeptEmbeddings {
		k.embeddings = append(k.embeddings, make(Embedding, 2*q.model.Predictor.Rank))
	}
	err := q.lend(func(w *Workspace) error {
		w.ctx, w.bindings, w.settings, w.kept = ctx, q.fixed, s, k
		return q.plan.Bind(w)
	})
	if err != nil {
		return nil, q.fail(err)
	}
	q.kept.Store(k)
	return k, nil
}

// release gives a workspace back for the next query.
func (q *Query) release(w *Workspace) {
	if x, ok := w.extension.(Releaser); ok {
		x.Release()
	}
	w.ctx, w.failed, w.bindings, w.batch, w.kept = nil, nil, Bindings{}, nil, nil
	q.pool.Put(w)
}
