package runtime

import (
	"context"
	"sync"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Run is one run of a question's plan, valid until the callback returns: see Question.Each.
type Run struct {
	query    *query
	ctx      context.Context
	bindings scq.Bindings
	settings *model.Settings
	result   run.Result
}

// Each runs the plan of the question's first part for each set of parameter values, all on the same facts, and calls
// use once with each run, possibly concurrently. Runs share work as in AskAll; each scores all entities, by rows. nil
// settings mean the question's. Each stops at the first error and, in a batch of several, names its index.
func (q *Question) Each(ctx context.Context, batch []Args, s *model.Settings, use func(i int, r *Run) error) error {
	if len(batch) == 0 {
		return nil
	}
	now := q.Model().Now()
	bindings, err := q.fill(now, batch)
	if err != nil {
		return err
	}
	return q.parts[0].at(now).each(ctx, bindings, q.settings(s), use)
}

// each is Question.Each for slots that are filled.
func (q *query) each(ctx context.Context, batch []scq.Bindings, s *model.Settings, use func(i int, r *Run) error) error {
	o, err := q.options(Options{Settings: s})
	if err != nil {
		return q.fail(err)
	}
	c := newCall(ctx, q, batch, o)
	c.use = use
	failed, err := q.bound.Each(ctx, batch, run.Want{Settings: *o.Settings}, c.pass)
	if err != nil {
		return q.failIn(batch, failed, err)
	}
	c.end()
	return nil
}

// Scores returns the scores of all entities.
func (r *Run) Scores() plan.Vector { return r.result.Scores() }

// Sets returns the fuzzy sets of the existential variables.
func (r *Run) Sets() []plan.Vector { return r.result.Sets() }

// Reply returns the answers under the given options, ignoring their Settings and Show.
func (r *Run) Reply(o Options) (*Reply, error) {
	o, err := r.options(o)
	if err != nil {
		return nil, err
	}
	return r.query.reply(r.ctx, r.bindings, o, r.result)
}

// Judge returns the given entities as answers, in that order and of any rank, with score, status and
// confidence. It uses only Budget and HeldOut of the options.
func (r *Run) Judge(o Options, entities []graph.EntityID) (*Reply, error) {
	o, err := r.options(Options{Budget: o.Budget, HeldOut: o.HeldOut})
	if err != nil {
		return nil, err
	}
	j := r.query.judge(r.ctx, r.bindings, o)
	found, uncalibrated, err := j.These(&r.result, entities)
	j.Release()
	if err != nil {
		return nil, err
	}
	return r.query.named(found, uncalibrated), nil
}

// Observed is a predicted answer with its evidence; calibration fits confidence to such answers. See Basis.
type Observed = judge.Observed

// Observe delivers the best answers under each semantics outside known, which is in ascending order: model.Judged, and, if
// wanted, a sample of the others behind. It also delivers the scores of every entity. Only a mixture in main memory
// supports this, because it computes the scores of every semantics.
func (r *Run) Observe(behind bool, known []int32, use func(s model.Semantics, list []Observed, scores plan.Vector)) error {
	o, err := r.options(Options{})
	if err != nil {
		return err
	}
	return r.query.judge(r.ctx, r.bindings, o).Observe(&r.result, behind, known, use)
}

// options completes options by the settings of the run.
func (r *Run) options(o Options) (Options, error) {
	o.Settings = r.settings
	return r.query.options(o)
}

// filterReach is the factor by which a filtered search requests more entities from bounds than it needs, since the
// filter drops some.
const filterReach = 3

// want translates options into what a run must deliver. Without a filter that is the best entities, ranked by bounds
// where possible. A filter checks entities in descending order of score, so it may need the score of any entity.
func (q *query) want(o Options) run.Want {
	filter := o.Filter.of(q.limit)
	w := run.Want{Settings: *o.Settings, Best: o.Offset + o.K, SetSize: o.SetSize, More: filter.Any() || o.Coverage > 0}
	switch {
	case w.More && q.bound.Plan.Semantics != model.NSMP:
		w.Best = 0 // the filter may read any entity's degree
	case w.More:
		w.Best *= filterReach
	}
	return w
}

// judge returns a judge for the answers to one set of bindings.
func (q *query) judge(ctx context.Context, b scq.Bindings, o Options) *judge.Judge {
	return judge.New(ctx, judge.Asking{
		Bound: q.bound, Bindings: b, Degrees: q.links, Settings: o.Settings,
		K: o.K, Offset: o.Offset, SetSize: o.SetSize, Filter: o.Filter.of(q.limit),
		Coverage: o.Coverage, HeldOut: o.HeldOut, NoStatus: o.NoStatus, Budget: o.Budget,
	})
}

// reply ranks the results of a run and names the answers.
func (q *query) reply(ctx context.Context, b scq.Bindings, o Options, result run.Result) (*Reply, error) {
	j := q.judge(ctx, b, o)
	defer j.Release()
	found, err := j.Rank(&result)
	if err != nil {
		return nil, err
	}
	r := q.named(found.Found, found.Uncalibrated)
	r.Next = found.Next
	r.Incomplete = found.Incomplete
	if o.Coverage > 0 {
		trials, _ := q.coverage(o)
		r.Coverage = &Coverage{o.Coverage, found.Covering, trials.Questions}
		r.Next = 0
	}
	for i, members := range found.Sets {
		s := q.bound.Plan.Sets[i]
		variable := q.names.variables[s.Disjunct][s.Variable]
		r.Sets = append(r.Sets, FuzzySet{Disjunct: s.Disjunct, Variable: variable, Top: q.model.members(variable, members)})
	}
	return r, nil
}

// named returns the reply with answers of one variable.
func (q *query) named(found []judge.Finding, uncalibrated string) *Reply {
	variables := q.names.variables[0][:1]
	return &Reply{
		Kind: plan.Answers, Variables: variables, Semantics: q.bound.Plan.Semantics,
		Rows: q.model.rows(variables[0], found), Uncalibrated: uncalibrated,
	}
}

// call is the state of one call of each or answer. Calls and runs are pooled, so that running a plan allocates nothing.
// After an error they are not returned to the pool: another goroutine may still use them.
type call struct {
	ctx     context.Context
	query   *query
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
func newCall(ctx context.Context, q *query, batch []scq.Bindings, o Options) *call {
	c := calls.Get().(*call)
	c.ctx = ctx
	c.query = q
	c.batch = batch
	c.options = o
	return c
}

// end returns the call to the pool.
func (c *call) end() {
	*c = call{pass: c.pass, take: c.take}
	calls.Put(c)
}

// passRun passes a run to use.
func (c *call) passRun(i int, result run.Result) error {
	r := runs.Get().(*Run)
	*r = Run{c.query, c.ctx, c.batch[i], c.options.Settings, result}
	err := c.use(i, r)
	*r = Run{}
	runs.Put(r)
	return err
}

// takeReply keeps the reply of a run.
func (c *call) takeReply(_ int, result run.Result) (err error) {
	c.reply, err = c.query.reply(c.ctx, c.single[0], c.options, result)
	return err
}
