package query

import (
	"context"
	"fmt"
	"sync"

	"github.com/efoc/efoc/runtime/drive"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// executor runs a plan on a model: on the processor, in workspaces that the model keeps,
// or elsewhere. It knows no names: queries that differ in those alone have equal
// executors, and are answered in one batch.
type executor struct {
	model   *Model
	plan    *Plan
	remote  backend    // answers in place of the plan's Run, if not nil
	binding *binding   // of a plan with a Bind function, otherwise nil
	idle    *sync.Pool // of *Workspace, with as many vectors as the plan needs
	// observed keeps what a mixture is made of, for Observe.
	observed bool
}

// newExecutor returns what runs a plan where the model is.
func newExecutor(m *Model, p *Plan) (executor, error) {
	x := executor{model: m.host(), plan: p}
	if m.device != nil {
		if p.Kernels == nil {
			return x, fmt.Errorf("shape %s has no kernels for a device: generate its file again with efoc generate --cuda, or bind the query to a model in main memory", p.Shape)
		}
		q, err := m.device.Query(p.Kernels)
		x.remote = onDevice{q}
		return x, err
	}
	if m.shards != nil {
		x.remote = onShards{m.shards, p}
		return x, nil
	}
	if p.Bind != nil {
		x.binding = &binding{}
	}
	x.idle = x.model.workspaces.of(p.Vectors)
	return x, nil
}

// run runs the plan on the processor and hands the workspace to use, with the whole answer
// if k is 0, otherwise at least the k best entities of it. It runs alone if d is nil; otherwise
// it leaves its driver before that.
func (x *executor) run(ctx context.Context, b scq.Bindings, s model.Settings, d *drive.Query, k int, use func(w *Workspace) error) error {
	if d == nil {
		x.model.Pool().Enter()
		defer x.model.Pool().Leave()
	}
	known, err := x.bound(ctx, s)
	if err != nil {
		return err
	}
	return x.lend(func(w *Workspace) error {
		w.begin(ctx, d)
		w.bindings, w.settings, w.kept, w.ranksAll, w.observed, w.places = b, s, known, k == 0, x.observed, x.plan.Places
		if err := x.plan.Run(w); err != nil {
			return err
		}
		w.finish(k)
		if err := w.Err(); err != nil { // since the plan last asked
			return err
		}
		w.Leave()
		return use(w)
	})
}

// lend calls use with a workspace, which is kept for the next query unless use panics:
// then nobody knows what state it is in.
func (x *executor) lend(use func(w *Workspace) error) error {
	w, _ := x.idle.Get().(*Workspace)
	if w == nil {
		w = newWorkspace(x.model, x.plan)
	} else {
		w.model = x.model // others have answered on other facts
		w.fit(x.plan)
	}
	whole := false
	defer func() {
		w.release()
		if whole {
			x.idle.Put(w)
		}
	}()
	err := use(w)
	whole = true
	return err
}

// runPart runs the plan on a part of a split model, alone if d is nil, and hands the workspace to
// use, with the part of the whole answer. rows are those of the constants.
func (x *executor) runPart(ctx context.Context, b scq.Bindings, s model.Settings, d *drive.Query, rows []float32, use func(w *Workspace)) error {
	return x.lend(func(w *Workspace) error {
		w.beginPart(ctx, d)
		w.bindings, w.settings, w.places = b, s, x.plan.Places
		w.setConstants(rows)
		if err := x.plan.Run(w); err != nil {
			return err
		}
		w.finish(0)
		if err := w.Err(); err != nil {
			return err
		}
		use(w)
		return w.Err()
	})
}
