package plan

import (
	"context"
	"sync"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/scq"
)

// Executor runs a plan on a model, or on a part of one, in workspaces that the model keeps. It knows no names:
// queries that differ only in names have equal executors.
type Executor struct {
	Plan  *Plan
	model Host
	idle  *sync.Pool // of *Workspace, with as many vectors as the plan needs
}

// NewExecutor returns an executor that runs a plan on a model.
func NewExecutor(m Host, p *Plan) Executor {
	return Executor{Plan: p, model: m, idle: m.idle(p.Vectors)}
}

// Bounds on the queries of a batch that run together.
const (
	maxTogether = 64
	batchBytes  = 512 << 20 // of their workspaces
)

// Together returns how many queries of the plan run at a time.
func (x *Executor) Together() int {
	each := 4 * (x.Plan.Vectors*x.model.NumEntities() + (x.Plan.Embeddings+1)*2*x.model.Predictor.Rank)
	return max(1, min(maxTogether, batchBytes/max(1, each)))
}

// mostApart is the size of a table, in bytes, up to which no batch repays the start of its queries, 8 µs each on a Zen 5.
const mostApart = 3 << 18

// Apart reports whether queries of the plan take less time one by one than in a batch. Those for truth degrees share
// only rows, which are cached for later queries too.
func (x *Executor) Apart(s model.Settings) bool {
	if x.Plan.Semantics == model.FIT {
		return x.model.Access() == Exact
	}
	return x.model.small(x.Plan, s) && sizeOf(x.model.Model).floats <= mostApart
}

// manyBest is a number of entities to one of the best answers. With fewer, making exact the degrees of the best answers
// takes longer than making all rows exact, many times if there are many disjuncts.
const manyBest = 8

// Run runs the plan and calls use with the workspace. The workspace holds the whole answer if k is 0, otherwise at
// least its k best entities; it holds fuzzy sets if k is 0 or sets is set. A nil d runs the plan alone; otherwise the
// plan leaves its driver before use.
func (x *Executor) Run(ctx context.Context, b scq.Bindings, s model.Settings, d *drive.Run, k int, sets bool, use func(w *Workspace) error) error {
	pool := x.model.Pool()
	workers := pool
	small := d == nil && x.model.small(x.Plan, s)
	if d == nil {
		helpers := 0 // none work on tiles
		if !small {
			helpers = sizeOf(x.model.Model).helpers(x.model.Access(), simd.CacheSize())
		}
		workers = pool.EnterWith(helpers)
		defer pool.Leave()
		if hold := pause.Of(ctx); hold != nil {
			ctx = pause.With(ctx, func() {
				pool.Leave()
				hold()
				pool.Enter()
			})
		}
	}
	return x.lend(func(w *Workspace) error {
		w.begin(ctx, d)
		w.Workers = workers
		w.bindings = b
		w.settings = s
		w.ranksAll = k == 0
		w.ranksMany = k == 0 || manyBest*k >= x.model.NumEntities()
		w.wantsSets = k == 0 || sets
		w.places = x.Plan.Places
		run := x.Plan.Run
		if small {
			w.places = x.Plan.SmallPlaces
			run = x.Plan.Small
		}
		if err := run(w); err != nil {
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

// RunPart runs the plan on a part of a split model, alone if d is nil, and calls use with the workspace, which holds
// the part of the whole answer. rows are the entity table's rows of the constants.
func (x *Executor) RunPart(ctx context.Context, b scq.Bindings, s model.Settings, d *drive.Run, rows []float32, use func(w *Workspace)) error {
	return x.lend(func(w *Workspace) error {
		w.beginPart(ctx, d)
		w.bindings = b
		w.settings = s
		w.places = x.Plan.Places
		width := 2 * x.model.Predictor.Rank
		for i, e := range b.Constants {
			w.constants[i].entity = e
			copy(w.constants[i].row, rows[i*width:])
		}
		if err := x.Plan.Run(w); err != nil {
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

// lend calls use with a workspace and keeps it for the next query, unless use panics and leaves it in an unknown
// state.
func (x *Executor) lend(use func(w *Workspace) error) error {
	w, _ := x.idle.Get().(*Workspace)
	if w == nil {
		w = newWorkspace(x.model, x.Plan)
	} else {
		w.move(x.model)
		w.ensure(x.Plan)
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
