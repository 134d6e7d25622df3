package runtime

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Query is a plan bound to a model, with one user's names for what the plan numbers. It is safe
// for concurrent use, and cheap: the model owns the workspaces. After the model is closed, it
// returns ErrClosed. If the plan panics, that query fails with a *PanicError; others are not
// affected. Each question uses the model's facts as of the time it is asked: see Snapshot.
type Query struct {
	executor
	names plan.Names
	// degrees returns the query that answers by truth degrees in main memory, or nil; it is nil itself
	// if the plan has no such plan.
	degrees func() *Query
	// explains returns the query that finds witnesses, or nil; it is nil itself if that is degrees.
	explains func() *Query
	limit    model.Type // that the query asks for, if not zero: see Limited
	// fixed says that the query is one on a snapshot; latest is the last of those that was
	// made of it.
	fixed  bool
	latest atomic.Pointer[Query]
}

// New binds a plan to a model. It fails if the plan was made for another version of this
// package, or if the model is on a device for which the plan has no kernels.
func New(m *Model, p *plan.Plan, names plan.Names) (*Query, error) {
	if m.Closed() {
		return nil, model.ErrClosed
	}
	if p.ABI != plan.ABI {
		return nil, fmt.Errorf("query %s: plan %s was %w (%d, this is %d): run efoc generate again",
			names.Query, p.Shape, ErrABI, p.ABI, plan.ABI)
	}
	if names.Variables == nil {
		for _, pattern := range p.Patterns {
			names.Variables = append(names.Variables, pattern.Variables)
		}
	}
	q := &Query{names: names}
	var err error
	q.executor, err = newExecutor(m, p)
	if err != nil {
		return nil, q.fail(err)
	}
	degrees := p.Degrees
	if degrees == nil && m.device != nil && p.Semantics != model.NSMP && p.Run != nil {
		degrees = p
	}
	if degrees == nil {
		return q, nil
	}
	d, err := New(q.model, degrees, names)
	q.degrees = func() *Query { return d }
	return q, err
}

// ExplainBy sets a function that makes a query for truth degrees, called when it is first needed. That query finds
// witnesses, and truth degrees if the plan has none. build may return nil.
func (q *Query) ExplainBy(build func() *Query) {
	q.explains = sync.OnceValue(build)
	if q.Degrees() == nil {
		q.degrees = q.explains
	}
}

// explainer returns the query that finds witnesses, nil if there is none.
func (q *Query) explainer() *Query {
	if q.explains != nil {
		return q.explains()
	}
	return q.Degrees()
}

// Degrees returns the query that computes truth degrees for this one, in main memory: itself if
// its plan does, or the one with the plan's Degrees; nil if there is neither.
func (q *Query) Degrees() *Query {
	switch {
	case q.degrees != nil:
		return q.degrees()
	case q.plan.Semantics != model.NSMP:
		return q
	}
	return nil
}

// Model returns the model that the query is bound to, in main memory.
func (q *Query) Model() *Model { return q.model }

// Warning says that the model prefers another semantics than the plan's, because it was best on
// the validation queries or is the default, and what to do. It is empty if they agree.
func (q *Query) Warning() string { return q.warning(q.plan.Semantics) }

// warning is Warning for a query that answers by some semantics.
func (q *Query) warning(s model.Semantics) string {
	own := q.model.Manifest.Semantics
	if own == s {
		return ""
	}
	return fmt.Sprintf("query %s answers by semantics %s, but model %s chooses %s: "+
		"generate its code with efoc generate --model, or write semantics %s into the file of templates",
		q.names.Query, s, q.model.Manifest.Name, own, own)
}

// Plan returns the plan of the query's shape.
func (q *Query) Plan() *plan.Plan { return q.plan }

// VariableNames returns the names of the variables of a disjunct, in the order of its
// pattern.
func (q *Query) VariableNames(scq int) []string { return q.names.Variables[scq] }

// Answer answers the query for one set of constants and relations.
func (q *Query) Answer(ctx context.Context, b scq.Bindings, o Options) (*Reply, error) {
	q = q.Snapshot()
	opts, err := q.check(b, o)
	if err != nil {
		return nil, q.fail(err)
	}
	result, err := q.answer(ctx, b, opts, nil)
	return q.shown(ctx, b, opts, result, err)
}

// answer answers one query, alone or, if m is not nil, together with others.
func (q *Query) answer(ctx context.Context, b scq.Bindings, o Options, m *run.Member) (*Reply, error) {
	want := q.want(o, q.filters(&o.Filter))
	c := newCall(ctx, q, nil, o)
	c.single[0] = b
	_, err := q.each(ctx, m, c.single[:], want, c.take)
	if err != nil {
		return nil, err
	}
	r := c.reply
	c.end()
	return r, nil
}

// want returns what the answers under some options take. Without a filter the best entities are ranked, by
// bounds where those decide. With one, any entity may be among the answers: they are checked one by one, best
// first, some by bounds too.
func (q *Query) want(o Options, filtered bool) run.Want {
	w := run.Want{Settings: *o.Settings, Best: o.Offset + o.K, SetSize: o.SetSize, More: filtered}
	switch {
	case filtered && q.plan.Semantics != model.NSMP:
		w.Best = 0 // any entity's degree may be asked for
	case filtered:
		w.Best *= filterReach
	}
	return w
}

// check checks what fills the slots, and fills in the options.
func (q *Query) check(b scq.Bindings, o Options) (Options, error) {
	if err := q.checkBindings(b); err != nil {
		return o, err
	}
	return q.options(o)
}

// options fills in the options and checks that the plan is for them.
func (q *Query) options(o Options) (Options, error) {
	opts, err := o.withDefaults(q.model)
	opts.Settings = q.possible(opts.Settings)
	if err == nil {
		err = q.CheckShow(o.Show)
	}
	if err == nil && q.plan.Semantics != model.FIT && opts.Settings.Layers != q.plan.Layers {
		err = fmt.Errorf("plan was compiled for %s layers, the settings ask for %s: compile it with that number",
			layerText(q.plan.Layers), layerText(opts.Settings.Layers))
	}
	if err == nil && opts.Filter.MinConfidence > 0 {
		if _, why := q.model.calibration(q.plan.Semantics, opts.Settings); why != "" {
			err = noConfidence(why)
		}
	}
	return opts, err
}

// possible returns the settings by which the query can answer: truth degrees on a device leave
// regularities out.
func (q *Query) possible(s *model.Settings) *model.Settings {
	_, there := q.runner.(run.Device)
	if !there || s == nil || q.plan.Semantics == model.NSMP || !q.model.Manifest.ScoreTerms.Any() {
		return s
	}
	without := *s
	without.Degrees = s.Degrees.OrDefault()
	without.Degrees.Regularities = false
	return &without
}

func layerText(l int) string {
	if l == 0 {
		return "D+1"
	}
	return fmt.Sprint(l)
}

// fail returns the error, if there is one, with the query's name.
func (q *Query) fail(err error) error {
	if err == nil || q.names.Query == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", q.names.Query, err)
}
