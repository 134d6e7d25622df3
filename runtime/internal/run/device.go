package run

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Device runs a plan on a device. It finds no links: that needs main memory.
type Device struct{ query *device.Runner }

// NewDevice returns a runner of a plan on a model's copy on a device.
func NewDevice(m *device.Copy, p *plan.Plan) (Device, error) {
	if p.Kernels == nil {
		return Device{}, fmt.Errorf("shape %s has no kernels for a device: generate them, or bind the query to a model in main memory", p.Shape)
	}
	q, err := m.Runner(p.Kernels)
	return Device{q}, err
}

// On returns the runner itself: the device has a copy of the facts.
func (d Device) On(plan.Host) Runner { return d }

// Each runs a batch.
func (d Device) Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	if m := memberOf(ctx); m.shares() {
		return m.runElsewhere(ctx, d, batch, w, use)
	}
	if w.whole() {
		return -1, d.query.Scores(ctx, batch, w.Settings, func(i int, scores []float32, sets [][]float32) error {
			return use(i, Result{scores: scores, sets: sets})
		})
	}
	rankings, err := d.query.Top(ctx, batch, w.Settings, w.Best, w.SetSize)
	if err != nil {
		return -1, err
	}
	for i, r := range rankings {
		if err := use(i, Result{ranking: r}); err != nil {
			return -1, err
		}
	}
	return 0, nil
}

// Links fails.
func (Device) Links(context.Context, scq.Bindings, model.Settings, []graph.EntityID) ([]plan.Link, error) {
	return nil, ErrElsewhere
}
