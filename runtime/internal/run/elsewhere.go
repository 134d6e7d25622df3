package run

import (
	"context"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/scq"
)

// elsewhere is a run on a device or on shards that waits in its group. The runs that wait while others run form the
// next batch. Its result must outlast the batch.
type elsewhere struct {
	ctx      context.Context
	runner   Runner
	bindings scq.Bindings
	want     Want

	// Set once it is served.
	result Result
	err    error
}

// Kind is the same for all.
func (e *elsewhere) Kind() drive.Kind { return drive.Columns }

// Like reports whether both fit one batch.
func (e *elsewhere) Like(o drive.Request) bool {
	other := o.(*elsewhere)
	return e.runner == other.runner && e.want == other.want
}

// Serve runs a batch. If it fails, each runs alone, so that only runs that are too large fail, and no error concerns
// another's question.
func (e *elsewhere) Serve(all []drive.Request) {
	batch := make([]*elsewhere, len(all))
	for i, r := range all {
		batch[i] = r.(*elsewhere)
	}
	err := runTogether(batch)
	if len(batch) == 1 {
		e.err = err
	}
	if err == nil || len(batch) == 1 {
		return
	}
	for i, e := range batch {
		e.err = runTogether(batch[i : i+1])
	}
}

// runTogether runs a batch, unless all contexts have ended.
func runTogether(batch []*elsewhere) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var waiting atomic.Int64
	waiting.Store(int64(len(batch)))
	bindings := make([]scq.Bindings, len(batch))
	for i, e := range batch {
		bindings[i] = e.bindings
		stop := context.AfterFunc(e.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		})
		defer stop()
	}
	_, err := batch[0].runner.Each(ctx, bindings, batch[0].want, func(i int, r Result) error {
		batch[i].result = r
		return nil
	})
	return err
}

// runElsewhere makes a member's runs in its group.
func (m *Member) runElsewhere(ctx context.Context, r Runner, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	ctx = withMember(ctx, nil)
	errs := m.run(ctx, m.group.there, len(batch), func(i int, d *drive.Run) error {
		e := &elsewhere{ctx: ctx, runner: r, bindings: batch[i], want: w}
		var s drive.State
		s.Begin(ctx, d)
		if !s.Ask(e) {
			return ctx.Err()
		}
		s.Leave()
		m.back()
		if e.err != nil {
			return e.err
		}
		return use(i, e.result)
	})
	return firstCause(errs)
}
