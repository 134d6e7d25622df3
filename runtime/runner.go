package runtime

import "context"

// Runner answers in place of a plan's Run function: on another device. It is safe
// for concurrent use. Bindings and settings have been checked.
type Runner interface {
	// Top returns the k best entities of the answer, and the setSize best of each
	// fuzzy set, for each query of the batch, in order.
	Top(ctx context.Context, batch []Bindings, s Settings, k, setSize int) ([]Ranking, error)
	// Scores hands the probability of every entity, and the fuzzy sets, of each query
	// of the batch to use.
	Scores(ctx context.Context, batch []Bindings, s Settings, use func(i int, answer Vector, sets []Vector) error) error
}

// AnyModel is what a query can be bound to: a *Model, for which the processor
// answers, or a model on a device, such as a *device.Model, where the device does.
type AnyModel interface {
	// Host returns the model in main memory.
	Host() *Model
	// Runner makes a plan ready where the model is; nil means that its Run does.
	Runner(p *Plan) (Runner, error)
}

// Host returns the model itself.
func (m *Model) Host() *Model { return m }

// Runner returns nil: the processor runs plans.
func (m *Model) Runner(*Plan) (Runner, error) { return nil, nil }

// on returns the plan as r answers it. Nothing is kept when it is bound.
func (p *Plan) on(r Runner) *Plan {
	q := *p
	q.Run, q.Bind, q.Runner = nil, nil, r
	return &q
}

// Ranking is what a Runner finds for a query.
type Ranking struct {
	Answer []Ranked
	Sets   [][]Ranked
}

// Ranked is an entity with its probability, or its degree of membership in a set.
type Ranked struct {
	Entity      EntityID
	Probability float32
}

// Rank returns the k entities of largest x, best first; ties stand in order of id.
func Rank(x Vector, k int) []Ranked {
	list := []Ranked{}
	for _, e := range topK(x, k) {
		list = append(list, Ranked{e, x[e]})
	}
	return list
}

// answerOn answers a batch by the plan's runner.
func (q *Query) answerOn(ctx context.Context, batch []Bindings, o Options) ([]*Answers, error) {
	opts, err := q.checkAll(batch, o)
	if err != nil {
		return nil, err
	}
	results := make([]*Answers, len(batch))
	err = q.guard(func() error {
		rankings, err := q.plan.Runner.Top(ctx, batch, *opts.Settings, opts.K, opts.SetSize)
		if err != nil {
			return q.fail(err)
		}
		for i, r := range rankings {
			if results[i], err = q.report(ctx, batch[i], opts, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// scoresOn is ScoresBatch by the plan's runner.
func (q *Query) scoresOn(ctx context.Context, batch []Bindings, s *Settings, use func(i int, answer Vector, sets []Vector) error) error {
	opts, err := q.checkAll(batch, Options{Settings: s})
	if err != nil {
		return err
	}
	return q.guard(func() error {
		if err := q.plan.Runner.Scores(ctx, batch, *opts.Settings, use); err != nil {
			return q.fail(err)
		}
		return nil
	})
}

// checkAll checks the bindings of a batch and fills in the options.
func (q *Query) checkAll(batch []Bindings, o Options) (Options, error) {
	for _, b := range batch {
		if err := q.plan.checkBindings(q.model, b); err != nil {
			return o, q.fail(err)
		}
	}
	return q.options(o)
}

// options fills in the options and checks that the plan is for them.
func (q *Query) options(o Options) (Options, error) {
	opts, err := o.withDefaults(q.model, q.plan)
	if err == nil && opts.Settings.Layers != q.plan.Layers {
		err = q.wrongLayers(opts.Settings.Layers)
	}
	if err != nil {
		err = q.fail(err)
	}
	return opts, err
}
