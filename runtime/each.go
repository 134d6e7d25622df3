package runtime

import (
	"context"
	"fmt"
	"sync"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// executor is a plan with what runs it. It knows no names: queries that differ in those alone have equal
// executors, and are answered in one batch.
type executor struct {
	model  *Model // in main memory
	plan   *plan.Plan
	runner run.Runner
}

// newExecutor returns an executor that runs a plan where the model is.
func newExecutor(m *Model, p *plan.Plan) (x executor, err error) {
	x = executor{model: m.host(), plan: p}
	switch {
	case m.device != nil:
		x.runner, err = run.NewDevice(m.device, p)
	case m.shards != nil:
		x.runner = m.shards.Runner(p)
	default:
		x.runner = run.NewLocal(m.local(), p)
	}
	return x, err
}

// local returns what runs the plan in main memory, false if that is elsewhere.
func (x *executor) local() (run.Local, bool) {
	l, is := x.runner.(run.Local)
	return l, is
}

// here reports whether the plan runs in main memory.
func (x *executor) here() bool {
	_, is := x.local()
	return is
}

// PanicError reports that a plan, or the code that used its results, panicked because of a
// fault. Value is the argument of panic, Stack the stack of its goroutine. The query has
// failed; other queries are not affected.
type PanicError = pool.PanicError

// guard calls what answers queries: it keeps the model open as long, and turns a panic
// into an error.
func (x *executor) guard(answer func() error) error {
	if err := x.model.Hold(); err != nil {
		return err
	}
	defer x.model.Release()
	return pool.Caught(answer)
}

// Run is one run of a query's plan, until the function that got it returns.
type Run struct {
	query    *Query
	ctx      context.Context
	bindings scq.Bindings
	settings *model.Settings
	result   run.Result
}

// Scores returns the scores of all entities.
func (r *Run) Scores() plan.Vector { return r.result.Scores() }

// Sets returns the fuzzy sets of the existential variables.
func (r *Run) Sets() []plan.Vector { return r.result.Sets() }

// Workspace returns the workspace, with everything that the plan left there. On a device or shards there is
// none.
func (r *Run) Workspace() (*plan.Workspace, error) {
	w := r.result.Workspace()
	switch {
	case w != nil:
		return w, nil
	case r.query.model.Split():
		return nil, ErrNeedsWhole
	}
	return nil, run.ErrElsewhere
}

// Reply returns the answers under the given options, ignoring their Settings and Show.
func (r *Run) Reply(o Options) (*Reply, error) {
	o, err := r.options(o)
	if err != nil {
		return nil, err
	}
	return r.query.reply(r.ctx, r.bindings, o, r.result)
}

// options completes options by the settings of the run.
func (r *Run) options(o Options) (Options, error) {
	o.Settings = r.settings
	return r.query.options(o)
}

// Each runs the plan for each of a batch, and calls use once for each with the run, possibly concurrently.
// A batch of several runs together as AnswerBatch does. nil settings are the model's for the shape. It stops at
// the first error, and names its index if there are several.
func (q *Query) Each(ctx context.Context, batch []scq.Bindings, s *model.Settings, use func(i int, r *Run) error) error {
	if len(batch) == 0 {
		return nil
	}
	q = q.Snapshot()
	o, err := q.checkAll(batch, s)
	if err != nil {
		return err
	}
	c := newCall(ctx, q, batch, o)
	c.use = use
	failed, err := q.each(ctx, nil, batch, run.Want{Settings: *o.Settings}, c.pass)
	if err != nil {
		return q.failIn(batch, failed, err)
	}
	c.end()
	return nil
}

// each runs the plan for each of a batch. It returns the index of the one that failed, or -1.
func (x *executor) each(ctx context.Context, m *run.Member, batch []scq.Bindings, w run.Want, use func(i int, r run.Result) error) (failed int, err error) {
	failed = -1
	err = x.guard(func() (err error) {
		failed, err = x.runner.Each(ctx, m, batch, w, use)
		return err
	})
	return failed, err
}

// failIn says which query of a batch an error is of, if there are several.
func (q *Query) failIn(batch []scq.Bindings, failed int, err error) error {
	if failed < 0 || len(batch) == 1 {
		return q.fail(err)
	}
	return inBatch(failed, q, err)
}

// inBatch says which query of a batch an error is of.
func inBatch(i int, q *Query, err error) error {
	return fmt.Errorf("query %d of the batch: %w", i, q.fail(err))
}

// call is a call of Each or Answer. Calls and runs are used again, so that running a plan allocates nothing; after
// an error they are not, because a fault may leave somebody at work.
type call struct {
	ctx     context.Context
	query   *Query
	batch   []scq.Bindings
	single  [1]scq.Bindings // the batch of Answer
	options Options

	use  func(i int, r *Run) error       // of Each
	pass func(i int, r run.Result) error // passRun

	reply *Reply                          // of Answer
	take  func(i int, r run.Result) error // takeReply
}

var (
	calls = sync.Pool{New: func() any {
		c := &call{}
		c.pass = c.passRun
		c.take = c.takeReply
		return c
	}}
	runs = sync.Pool{New: func() any { return &Run{} }}
)

// newCall returns a call.
func newCall(ctx context.Context, q *Query, batch []scq.Bindings, o Options) *call {
	c := calls.Get().(*call)
	c.ctx = ctx
	c.query = q
	c.batch = batch
	c.options = o
	return c
}

// end lets the call be used again.
func (c *call) end() {
	*c = call{pass: c.pass, take: c.take}
	calls.Put(c)
}

// passRun passes a run on.
func (c *call) passRun(i int, result run.Result) error {
	r := runs.Get().(*Run)
	*r = Run{c.query, c.ctx, c.batch[i], c.options.Settings, result}
	err := c.use(i, r)
	*r = Run{}
	runs.Put(r)
	return err
}

// takeReply names the answers that a run found.
func (c *call) takeReply(_ int, result run.Result) (err error) {
	c.reply, err = c.query.reply(c.ctx, c.single[0], c.options, result)
	return err
}
