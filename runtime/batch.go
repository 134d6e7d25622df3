package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Question is a query with the values of its slots.
type Question struct {
	Query    *Query
	Bindings scq.Bindings
}

// AnswerBatch answers questions of one plan on one model, one result each, in order, with the
// names of each question's query. Up to 64 run together and share each pass over the entity
// table; their workspaces take at most 512 MiB. It stops at the first error and names its
// index.
//
// Sums are taken in another order than by Query.Answer, so probabilities may differ in the last
// bits; they do not depend on the number of threads. If the entity table has codes beside its
// rows, a batch multiplies the rows, while a single query finds the best answers by codes and
// computes them from the rows. Both agree within the tolerance of the semantics. Scores and
// ScoresBatch, which rank all entities, read the rows.
func AnswerBatch(ctx context.Context, batch []Question, o Options) ([]*Reply, error) {
	batch = snapshots(batch)
	results, err := answerBatch(ctx, batch, &o)
	if err != nil {
		return nil, err
	}
	for i, x := range batch {
		if results[i], err = x.Query.shown(ctx, x.Bindings, o, results[i], nil); err != nil {
			return nil, fmt.Errorf("query %d of the batch: %w", i, err)
		}
	}
	return results, nil
}

// snapshots returns the questions with queries on the facts as they are now, the same for
// all of a model.
func snapshots(batch []Question) []Question {
	if len(batch) == 0 {
		return nil
	}
	now, all := batch[0].Query.Snapshot().model, make([]Question, len(batch))
	for i, x := range batch {
		if q := x.Query; !q.fixed && q.remote == nil && q.model.shared == now.shared {
			x.Query = q.on(now)
		}
		all[i] = x
	}
	return all
}

// answerBatch is AnswerBatch without the values of variables. It fills in the options.
func answerBatch(ctx context.Context, batch []Question, options *Options) ([]*Reply, error) {
	o := *options
	results := make([]*Reply, len(batch))
	if len(batch) == 0 {
		return results, nil
	}
	first := batch[0].Query
	for i, x := range batch {
		if x.Query.executor != first.executor {
			return nil, inBatch(i, x.Query, errors.New("it has another plan, or another model, than query 0: answer it apart"))
		}
		var err error
		if o, err = x.Query.check(x.Bindings, o); err != nil {
			return nil, inBatch(i, x.Query, err)
		}
	}
	*options = o
	if first.remote != nil {
		err := first.guard(func() (err error) {
			results, err = answerOn(ctx, batch, o)
			return err
		})
		switch {
		case err == nil:
			return results, nil
		case slices.ContainsFunc(batch, func(x Question) bool { return x.Query.names.Query != first.names.Query }):
			return nil, err // of the batch as a whole
		}
		return nil, first.fail(err)
	}
	i, err := first.runBatch(ctx, len(batch), func(ctx context.Context, i int, d *drive.Query) (err error) {
		results[i], err = batch[i].Query.answer(ctx, batch[i].Bindings, o, d)
		return err
	})
	if err != nil {
		return nil, inBatch(i, batch[i].Query, err)
	}
	return results, nil
}

// answerOn answers a batch elsewhere. The questions have been checked.
func answerOn(ctx context.Context, batch []Question, o Options) ([]*Reply, error) {
	bindings := make([]scq.Bindings, len(batch))
	for i, x := range batch {
		bindings[i] = x.Bindings
	}
	results := make([]*Reply, len(batch))
	if slices.ContainsFunc(batch, func(x Question) bool { return x.Query.filters(&o.Filter) }) { // which is the processor's work
		err := batch[0].Query.remote.scores(ctx, bindings, *o.Settings, func(i int, answer plan.Vector, sets []plan.Vector, find linkFinder) (err error) {
			results[i], err = batch[i].Query.reportRanked(ctx, bindings[i], o, find, rank.Descending(answer), sets)
			return err
		})
		return results, err
	}
	rankings, err := batch[0].Query.remote.top(ctx, bindings, *o.Settings, o.Offset+o.K, o.SetSize)
	if err != nil {
		return nil, err
	}
	for i, r := range rankings {
		if results[i], err = batch[i].Query.report(ctx, bindings[i], o, nil, slices.Values(r.Answer), r.Sets); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// AnswerBatch answers the query for several sets of constants and relations, as the function
// AnswerBatch does.
func (q *Query) AnswerBatch(ctx context.Context, batch []scq.Bindings, o Options) ([]*Reply, error) {
	questions := make([]Question, len(batch))
	for i, b := range batch {
		questions[i] = Question{q, b}
	}
	return AnswerBatch(ctx, questions, o)
}

// ScoresBatch is Scores for several sets of constants and relations, which run together as in
// AnswerBatch. use is called once per index of the batch, possibly concurrently.
func (q *Query) ScoresBatch(ctx context.Context, batch []scq.Bindings, s *model.Settings, use func(i int, answer plan.Vector, sets []plan.Vector) error) error {
	return q.scoresBatch(ctx, batch, s, func(i int, answer plan.Vector, sets []plan.Vector, _ linkFinder) error { return use(i, answer, sets) })
}

// ReportBatch is ScoresBatch for callers that also want answers: report returns the answers of
// query i of the batch under the given options, ignoring their Settings.
func (q *Query) ReportBatch(ctx context.Context, batch []scq.Bindings, s *model.Settings,
	use func(i int, answer plan.Vector, report func(o Options) (*Reply, error)) error) error {
	q = q.Snapshot()
	return q.scoresBatch(ctx, batch, s, func(i int, answer plan.Vector, sets []plan.Vector, find linkFinder) error {
		return use(i, answer, func(o Options) (*Reply, error) {
			o.Settings = s
			o, err := q.check(batch[i], o)
			if err != nil {
				return nil, err
			}
			return q.reportRanked(ctx, batch[i], o, find, rank.Descending(answer), sets)
		})
	})
}

func (q *Query) scoresBatch(ctx context.Context, batch []scq.Bindings, s *model.Settings, use func(i int, answer plan.Vector, sets []plan.Vector, find linkFinder) error) error {
	if len(batch) == 0 {
		return nil
	}
	q = q.Snapshot()
	o, err := q.checkAll(batch, s)
	if err != nil {
		return err
	}
	if q.remote != nil {
		return q.fail(q.guard(func() error {
			return q.remote.scores(ctx, batch, *o.Settings, use)
		}))
	}
	i, err := q.runBatch(ctx, len(batch), func(ctx context.Context, i int, d *drive.Query) error {
		return q.local.Run(ctx, batch[i], *o.Settings, d, 0, true, func(w *plan.Workspace) error {
			return use(i, w.Answer(), w.Sets(), q.findLinks(w))
		})
	})
	if err != nil {
		return inBatch(i, q, err)
	}
	return nil
}

// checkAll checks what fills the slots of a batch, and returns the options of its plan.
func (q *Query) checkAll(batch []scq.Bindings, s *model.Settings) (o Options, err error) {
	o.Settings = s
	for i, b := range batch {
		if o, err = q.check(b, o); err != nil {
			return o, inBatch(i, q, err)
		}
	}
	return o, nil
}

// inBatch says which query of a batch an error is of.
func inBatch(i int, q *Query, err error) error {
	return fmt.Errorf("query %d of the batch: %w", i, q.fail(err))
}

// runBatch calls run for the indices below n, as many at a time as run together, and returns the
// first error with its index.
func (x *executor) runBatch(ctx context.Context, n int, run func(ctx context.Context, i int, d *drive.Query) error) (int, error) {
	if err := x.model.Hold(); err != nil {
		return 0, err
	}
	defer x.model.Release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := x.local.Together()
	for lo := 0; lo < n; lo += size {
		errs := drive.New(x.model.Pool(), nil).Run(ctx, min(size, n-lo), func(i int, d *drive.Query) error {
			err := pool.Caught(func() error { return run(ctx, lo+i, d) })
			if err != nil {
				cancel()
			}
			return err
		})
		if i, err := firstCause(errs); err != nil {
			return lo + i, err
		}
	}
	return 0, nil
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

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
