package run

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Bound is a plan bound to a model, with its runner. It knows no names: queries that differ only in names have equal
// Bounds, and are answered in one batch.
type Bound struct {
	Model  *model.Model // in main memory: whole, or the head of a split one
	Plan   *plan.Plan
	Runner Runner
}

// Local returns the runner in main memory, false if the plan runs elsewhere.
func (b *Bound) Local() (Local, bool) {
	l, is := b.Runner.(Local)
	return l, is
}

// Here reports whether the plan runs in main memory.
func (b *Bound) Here() bool {
	_, is := b.Local()
	return is
}

// OnDevice reports whether the plan runs on a device.
func (b *Bound) OnDevice() bool {
	_, is := b.Runner.(Device)
	return is
}

// Split reports whether the plan runs on the shards of a split model.
func (b *Bound) Split() bool {
	_, is := b.Runner.(onShards)
	return is
}

// Guard calls work, keeps the model open meanwhile, and converts a panic to an error.
func (b *Bound) Guard(work func() error) error {
	if err := b.Model.Hold(); err != nil {
		return err
	}
	defer b.Model.Release()
	return pool.Caught(work)
}

// Each is Runner.Each, keeps the model open meanwhile, and converts a panic to an error. It returns the index of the
// run that failed, or -1.
func (b *Bound) Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	failed = -1
	err = b.Guard(func() (err error) {
		failed, err = b.Runner.Each(ctx, batch, w, use)
		return err
	})
	return failed, err
}

// On returns the plan bound to a model with other facts.
func (b *Bound) On(m plan.Host) Bound { return Bound{m.Model, b.Plan, b.Runner.On(m)} }
