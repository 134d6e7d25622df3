package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

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

// Judge returns the given entities as answers, in that order and of any rank, with score, status and
// confidence. It uses only Budget and HeldOut of the options.
func (r *Run) Judge(o Options, entities []model.EntityID) (*Reply, error) {
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

// Observed is a predicted answer that confidence is fitted to: see Basis.
type Observed = judge.Observed

// Observe delivers the k best answers under each semantics that are not in known, which is in ascending order,
// and the evidence for every entity. Only a mixture in main memory, which computes the scores of every
// semantics, has them.
func (r *Run) Observe(k int, known []int32, use func(s model.Semantics, list []Observed, all []float64)) error {
	o, err := r.options(Options{})
	if err != nil {
		return err
	}
	return r.query.judge(r.ctx, r.bindings, o).Observe(&r.result, k, known, use)
}

// options completes options by the settings of the run.
func (r *Run) options(o Options) (Options, error) {
	o.Settings = r.settings
	return r.query.options(o)
}

// filterReach is how many times as many entities as are wanted bounds look for: those that the
// filter leaves out are among them.
const filterReach = 3

// want returns what the answers under some options take. Without a filter the best entities are ranked, by
// bounds where those decide. With one, any entity may be among the answers: they are checked one by one, best
// first, some by bounds too.
func (q *Query) want(o Options) run.Want {
	filter := o.Filter.of(q.limit)
	w := run.Want{Settings: *o.Settings, Best: o.Offset + o.K, SetSize: o.SetSize, More: filter.Any()}
	switch {
	case w.More && q.bound.Plan.Semantics != model.NSMP:
		w.Best = 0 // any entity's degree may be asked for
	case w.More:
		w.Best *= filterReach
	}
	return w
}

// judge returns the judge of a question.
func (q *Query) judge(ctx context.Context, b scq.Bindings, o Options) *judge.Judge {
	return judge.New(ctx, judge.Asking{
		Bound: q.bound, Bindings: b, Degrees: q.links, Settings: o.Settings,
		K: o.K, Offset: o.Offset, SetSize: o.SetSize, Filter: o.Filter.of(q.limit),
		HeldOut: o.HeldOut, NoStatus: o.NoStatus, Budget: o.Budget,
	})
}

// reply names the answers that a run found.
func (q *Query) reply(ctx context.Context, b scq.Bindings, o Options, result run.Result) (*Reply, error) {
	j := q.judge(ctx, b, o)
	found, err := j.Rank(&result)
	j.Release()
	if err != nil {
		return nil, err
	}
	r := q.named(found.Found, found.Uncalibrated)
	r.Next = found.Next
	r.Incomplete = found.Incomplete
	for i, members := range found.Sets {
		s := q.bound.Plan.Sets[i]
		variable := q.names.Variables[s.Disjunct][s.Variable]
		r.Sets = append(r.Sets, FuzzySet{Disjunct: s.Disjunct, Variable: variable, Top: q.model.members(variable, members)})
	}
	return r, nil
}

// named returns the reply with answers of one variable.
func (q *Query) named(found []judge.Finding, uncalibrated string) *Reply {
	variables := q.names.Variables[0][:1]
	return &Reply{
		Kind: plan.Answers, Variables: variables, Semantics: q.bound.Plan.Semantics,
		Rows: q.model.rows(variables[0], found), Uncalibrated: uncalibrated,
	}
}
