package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Query is a plan bound to a model: what answers. It is safe for concurrent use. Once the
// model is closed it returns ErrClosed. Should the plan panic, the error of that query is
// a *PanicError; others are not touched.
type Query struct {
	model *Model
	plan  *Plan
	names QueryNames
	pool  sync.Pool
	fixed Bindings // of a bound query
	kept  atomic.Pointer[kept]
}

// QueryNames are the names that the user gave to what a plan numbers.
type QueryNames struct {
	// Query is the template's name, for errors; it may be empty.
	Query string
	// Variables holds, for each disjunct, the name of each variable of its
	// pattern; nil means the pattern's own names.
	Variables [][]string
}

// NewQuery binds a plan to a model. It fails if the plan was made for another
// version of this package, or if the model is on a device and the plan has no
// kernels for it.
func NewQuery(m AnyModel, p *Plan, names QueryNames) (*Query, error) {
	if m.Host().lifetime.over() {
		return nil, ErrClosed
	}
	if p.ABI != ABI {
		return nil, fmt.Errorf("query %s: plan %s was generated for version %d of the runtime, this is version %d: run efoc generate again",
			names.Query, p.Shape, p.ABI, ABI)
	}
	if names.Variables == nil {
		for _, pattern := range p.Patterns {
			names.Variables = append(names.Variables, pattern.Variables)
		}
	}
	q := &Query{model: m.Host(), plan: p, names: names}
	runner, err := m.Runner(p)
	if err != nil {
		return nil, q.fail(err)
	}
	if runner != nil {
		q.plan = p.on(runner)
	}
	q.pool.New = func() any { return newWorkspace(q.model, q.plan) }
	return q, nil
}

// Model returns the model that the query is bound to, in main memory.
func (q *Query) Model() *Model { return q.model }

// Plan returns the plan of the query's shape.
func (q *Query) Plan() *Plan { return q.plan }

// VariableNames returns the names of the variables of a disjunct, in the order of its
// pattern.
func (q *Query) VariableNames(scq int) []string { return q.names.Variables[scq] }

// Answer answers the query for one choice of constants and relations.
func (q *Query) Answer(ctx context.Context, b Bindings, o Options) (*Answers, error) {
	if q.plan.Runner != nil {
		results, err := q.answerOn(ctx, []Bindings{b}, o)
		if err != nil {
			return nil, err
		}
		return results[0], nil
	}
	return q.answer(ctx, b, o, nil)
}

// answer answers one query, in step with the others of a group if there is one.
func (q *Query) answer(ctx context.Context, b Bindings, o Options, group *lockstep) (*Answers, error) {
	var result *Answers
	err := q.scores(ctx, b, o.Settings, group, func(answer Vector, sets []Vector) error {
		opts, err := o.withDefaults(q.model, q.plan)
		if err != nil {
			return err
		}
		result, err = q.report(ctx, b, opts, rankAll(answer, sets, opts))
		return err
	})
	return result, err
}

// Scores runs the plan and hands the probability of every entity, and the fuzzy
// sets that the plan reports, to use. The vectors have length n and are valid
// until use returns. Settings that are nil are the model's for the shape.
func (q *Query) Scores(ctx context.Context, b Bindings, s *Settings, use func(answer Vector, sets []Vector) error) error {
	if q.plan.Runner != nil {
		return q.scoresOn(ctx, []Bindings{b}, s, func(_ int, answer Vector, sets []Vector) error { return use(answer, sets) })
	}
	return q.scores(ctx, b, s, nil, use)
}

func (q *Query) scores(ctx context.Context, b Bindings, s *Settings, group *lockstep, use func(answer Vector, sets []Vector) error) error {
	return q.run(ctx, b, s, group, func(w *Workspace) error { return use(w.answer, w.sets) })
}

// Run runs the plan and hands the workspace to use, with all that the plan has left
// there. It fails if another device answers.
func (q *Query) Run(ctx context.Context, b Bindings, s *Settings, use func(w *Workspace) error) error {
	if q.plan.Runner != nil {
		return q.fail(errors.New("the plan runs on another device, which has no workspace"))
	}
	return q.run(ctx, b, s, nil, use)
}

func (q *Query) run(ctx context.Context, b Bindings, s *Settings, group *lockstep, use func(w *Workspace) error) error {
	left := group == nil
	leave := func() {
		if !left {
			left = true
			group.leave()
		}
	}
	defer leave()
	if err := q.plan.checkBindings(q.model, b); err != nil {
		return q.fail(err)
	}
	opts, err := q.options(Options{Settings: s})
	if err != nil {
		return err
	}
	return q.guard(func() error {
		known, err := q.bound(ctx, *opts.Settings)
		if err != nil {
			return err
		}
		return q.lend(func(w *Workspace) error {
			w.ctx, w.bindings, w.settings, w.batch, w.kept = ctx, b, *opts.Settings, group, known
			if err := q.plan.Run(w); err != nil {
				return q.fail(err)
			}
			if err := w.Err(); err != nil { // since the plan last asked
				return q.fail(err)
			}
			leave()
			return use(w)
		})
	})
}

// Bounds on the queries of a batch that run together.
const (
	maxTogether = 64
	batchBytes  = 512 << 20 // of their workspaces
)

// together returns how many queries of a batch run at a time.
func (q *Query) together() int {
	each := 4 * (q.plan.Vectors*q.model.NumEntities() + (q.plan.Embeddings+1)*2*q.model.Predictor.Rank)
	return max(1, min(maxTogether, batchBytes/max(1, each)))
}

// AnswerBatch answers the query for several choices of constants and relations,
// one result each, in order. Up to 64 run together and share each pass over the
// entity table; their workspaces take 512 MiB at most. It stops at the first
// error, naming its index.
//
// Sums are taken in another order than by Answer, so that probabilities may differ
// from its in the last bits; they do not depend on the number of threads.
func (q *Query) AnswerBatch(ctx context.Context, batch []Bindings, o Options) ([]*Answers, error) {
	if q.plan.Runner != nil {
		return q.answerOn(ctx, batch, o)
	}
	results := make([]*Answers, len(batch))
	err := q.inStep(ctx, len(batch), func(ctx context.Context, i int, group *lockstep) (err error) {
		results[i], err = q.answer(ctx, batch[i], o, group)
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// ScoresBatch is Scores for several choices of constants and relations, which run
// together as those of AnswerBatch do. use is called once for each index of the
// batch, from several goroutines at a time.
func (q *Query) ScoresBatch(ctx context.Context, batch []Bindings, s *Settings, use func(i int, answer Vector, sets []Vector) error) error {
	if q.plan.Runner != nil {
		return q.scoresOn(ctx, batch, s, use)
	}
	return q.inStep(ctx, len(batch), func(ctx context.Context, i int, group *lockstep) error {
		return q.scores(ctx, batch[i], s, group, func(answer Vector, sets []Vector) error { return use(i, answer, sets) })
	})
}

// inStep calls run for the indices below n, as many at a time as run together.
func (q *Query) inStep(ctx context.Context, n int, run func(ctx context.Context, i int, group *lockstep) error) error {
	errs := make([]error, n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := q.together()
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		group := newLockstep()
		group.active = hi - lo
		var wg sync.WaitGroup
		for i := lo; i < hi; i++ {
			wg.Go(func() {
				if errs[i] = run(ctx, i, group); errs[i] != nil {
					cancel()
				}
			})
		}
		wg.Wait()
		if i, err := firstCause(errs); err != nil {
			return fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return nil
}

// firstCause returns the first error that is not another's cancellation.
func firstCause(errs []error) (int, error) {
	index, cause := 0, error(nil)
	for i, err := range errs {
		if err != nil && (cause == nil || isCancelled(cause) && !isCancelled(err)) {
			index, cause = i, err
		}
	}
	return index, cause
}

func (q *Query) wrongLayers(asked int) error {
	return fmt.Errorf("plan was compiled for %s layers, the settings ask for %s: compile it with that number",
		layerText(q.plan.Layers), layerText(asked))
}

func layerText(l int) string {
	if l == 0 {
		return "D+1"
	}
	return fmt.Sprint(l)
}

func (q *Query) fail(err error) error {
	if q.names.Query == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", q.names.Query, err)
}
