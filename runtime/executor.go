package runtime

import (
	"context"
	"sync"
)

// executor runs a plan on a model: on the processor, in workspaces that the model keeps,
// or on a device. It knows no names: queries that differ in those alone have equal
// executors, and are answered in one batch.
type executor struct {
	model   *Model
	plan    *Plan
	device  Runner     // answers in place of the plan's Run, if not nil
	binding *binding   // of a plan with a Bind function, otherwise nil
	idle    *sync.Pool // of *Workspace, with as many vectors as the plan needs
}

// newExecutor returns what runs a plan where the model is.
func newExecutor(m AnyModel, p *Plan) (executor, error) {
	x := executor{model: m.Host(), plan: p, device: p.Runner}
	there, err := m.Runner(p)
	if err != nil {
		return x, err
	}
	if there != nil {
		x.device = there
	}
	if x.device != nil {
		return x, nil
	}
	if p.Bind != nil {
		x.binding = &binding{}
	}
	x.idle = x.model.workspaces.of(p.Vectors)
	return x, nil
}

// run runs the plan on the processor and hands the workspace to use. A query of a group
// leaves it before that, or when it fails.
func (x *executor) run(ctx context.Context, b Bindings, s Settings, group *lockstep, use func(w *Workspace) error) error {
	left := group == nil
	leave := func() {
		if !left {
			left = true
			group.leave()
		}
	}
	defer leave()
	known, err := x.bound(ctx, s)
	if err != nil {
		return err
	}
	return x.lend(func(w *Workspace) error {
		w.ctx, w.bindings, w.settings, w.batch, w.kept = ctx, b, s, group, known
		if err := x.plan.Run(w); err != nil {
			return err
		}
		if err := w.Err(); err != nil { // since the plan last asked
			return err
		}
		leave()
		return use(w)
	})
}

// rank runs the plan on the processor and picks the best entities.
func (x *executor) rank(ctx context.Context, b Bindings, o Options, group *lockstep) (best Ranking, err error) {
	err = x.run(ctx, b, *o.Settings, group, func(w *Workspace) error {
		best = rankAll(w.answer, w.sets, o)
		return nil
	})
	return best, err
}

// lend calls use with a workspace, which is kept for the next query unless use panics:
// then nobody knows what state it is in.
func (x *executor) lend(use func(w *Workspace) error) error {
	w, _ := x.idle.Get().(*Workspace)
	if w == nil {
		w = newWorkspace(x.model, x.plan)
	} else {
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

// workspaces are those of a model that are not in use, by their vectors, which are most
// of what they take. Plans share them: there are not more of them for more plans, and no
// plan is kept by them.
type workspaces struct{ byVectors sync.Map } // *sync.Pool by int

// of returns those with so many vectors.
func (s *workspaces) of(vectors int) *sync.Pool {
	if p, ok := s.byVectors.Load(vectors); ok {
		return p.(*sync.Pool)
	}
	p, _ := s.byVectors.LoadOrStore(vectors, &sync.Pool{})
	return p.(*sync.Pool)
}
