package run

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Local runs a plan on the processor, in this process's memory.
type Local struct {
	plan.Executor
	pool *pool.Pool
}

// NewLocal returns a runner of a plan on a model.
func NewLocal(m plan.Host, p *plan.Plan) Local {
	return Local{plan.NewExecutor(m, p), m.Pool()}
}

// On returns the runner on a model with other facts.
func (l Local) On(m plan.Host) Runner { return Local{l.Executor.On(m), m.Pool()} }

// Each runs a single one alone, unless it is of a group. That allocates nothing.
func (l Local) Each(ctx context.Context, m *Member, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	switch {
	case m != nil:
		return 0, l.inGroup(ctx, m, batch[0], w, use)
	case len(batch) == 1:
		return 0, l.run(ctx, nil, 0, batch[0], &w, use)
	}
	return l.batch(ctx, batch, w, use)
}

// inGroup runs the plan once, together with a group.
func (l Local) inGroup(ctx context.Context, m *Member, b scq.Bindings, w Want, use func(i int, r Result) error) error {
	return m.run(ctx, func(d *drive.Query) error { return l.run(ctx, d, 0, b, &w, use) })
}

// batch runs several together.
func (l Local) batch(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := l.Together()
	for lo := 0; lo < len(batch); lo += size {
		errs := drive.New(l.pool, nil).Run(ctx, min(size, len(batch)-lo), func(i int, d *drive.Query) error {
			err := pool.Caught(func() error { return l.run(ctx, d, lo+i, batch[lo+i], &w, use) })
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

// run runs the plan once, alone if d is nil.
func (l *Local) run(ctx context.Context, d *drive.Query, i int, b scq.Bindings, w *Want, use func(i int, r Result) error) error {
	return l.Run(ctx, b, w.Settings, d, w.Best, w.SetSize > 0, func(work *plan.Workspace) error {
		return use(i, Result{work: work, best: w.Best, setSize: w.SetSize})
	})
}

// Links runs the plan to look at entities.
func (l Local) Links(ctx context.Context, b scq.Bindings, s model.Settings, entities []model.EntityID) (list []plan.Link, err error) {
	err = l.run(ctx, nil, 0, b, &Want{Settings: s}, func(_ int, r Result) error {
		list, err = r.work.Links(l.Plan, entities)
		return err
	})
	return list, err
}

// firstCause returns the first error that is not another's cancellation.
func firstCause(errs []error) (int, error) {
	index := 0
	cause := error(nil)
	for i, err := range errs {
		if err != nil && (cause == nil || isCancelled(cause) && !isCancelled(err)) {
			index = i
			cause = err
		}
	}
	return index, cause
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
