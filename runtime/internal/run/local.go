package run

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
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
func (l Local) On(m plan.Host) Runner { return NewLocal(m, l.Plan) }

// Each runs a single query alone unless it belongs to a group, without allocating. On a small table, all queries run
// alone.
func (l Local) Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	m := memberOf(ctx)
	if m != nil && m.group.pool != l.pool { // from another model
		m = nil
	}
	apart := l.Apart(w.Settings)
	if apart {
		m.Close() // no other question waits for this one
		m.back()
	}
	if len(batch) == 1 && (apart || !m.shares()) {
		return 0, l.run(ctx, nil, 0, batch[0], &w, use)
	}
	return l.batch(ctx, m, batch, apart, w, use)
}

// batch runs several together, in the member's group as long as m shares its runs; or apart, one by one on each processor.
func (l Local) batch(ctx context.Context, m *Member, batch []scq.Bindings, apart bool, w Want, use func(i int, r Result) error) (failed int, err error) {
	ctx, cancel := context.WithCancel(withMember(ctx, nil))
	defer cancel()
	for lo := 0; lo < len(batch); {
		size := min(l.Together(), len(batch)-lo)
		body := func(i int, d *drive.Run) error {
			err := pool.Caught(func() error {
				return l.run(ctx, d, lo+i, batch[lo+i], &w, func(i int, r Result) error {
					m.back()
					return use(i, r)
				})
			})
			if err != nil {
				cancel()
			}
			return err
		}
		var errs []error
		switch {
		case apart:
			errs = make([]error, size)
			l.pool.Each(size, func(_, i int) { errs[i] = body(i, nil) })
		case m.shares():
			size = min(size, mostRuns)
			errs = m.run(ctx, m.group.here, size, body)
		default:
			errs = drive.New(l.pool, nil).Run(ctx, size, body)
		}
		if i, err := firstCause(errs); err != nil {
			return lo + i, err
		}
		lo += size
	}
	return 0, nil
}

// run runs the plan once, alone if d is nil.
func (l *Local) run(ctx context.Context, d *drive.Run, i int, b scq.Bindings, w *Want, use func(i int, r Result) error) error {
	return l.Run(ctx, b, w.Settings, d, w.Best, w.SetSize > 0, func(work *plan.Workspace) error {
		return use(i, Result{work: work, best: w.Best, setSize: w.SetSize})
	})
}

// Links runs the plan and returns the links of entities.
func (l Local) Links(ctx context.Context, b scq.Bindings, s model.Settings, entities []graph.EntityID) (list []plan.Link, err error) {
	_, err = l.Each(ctx, []scq.Bindings{b}, Want{Settings: s}, func(_ int, r Result) error {
		list, err = r.work.Links(l.Plan, entities)
		return err
	})
	return list, err
}

// firstCause returns the first error other than a cancellation caused by another.
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
