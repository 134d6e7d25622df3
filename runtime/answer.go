package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

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
	c := newCall(ctx, q, nil, o)
	c.single[0] = b
	_, err := q.bound.Each(ctx, m, c.single[:], q.want(o), c.take)
	if err != nil {
		return nil, err
	}
	r := c.reply
	c.end()
	return r, nil
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

// links returns the plan that finds the links of answers, nil if there is none.
func (q *Query) links() *run.Bound {
	d := q.Degrees()
	if d == nil {
		return nil
	}
	return &d.bound
}

// reply names the answers that a run found.
func (q *Query) reply(ctx context.Context, b scq.Bindings, o Options, result run.Result) (*Reply, error) {
	found, err := q.judge(ctx, b, o).Rank(&result)
	if err != nil {
		return nil, err
	}
	r := q.named(found.Found, found.Uncalibrated)
	r.Next = found.Next
	r.Incomplete = found.Incomplete
	for i, members := range found.Sets {
		s := q.bound.Plan.Sets[i]
		variable := q.names.Variables[s.SCQ][s.Variable]
		r.Sets = append(r.Sets, FuzzySet{SCQ: s.SCQ, Variable: variable, Top: q.model.members(variable, members)})
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

// Count estimates how many answers the query has. It uses only Settings, Budget, HeldOut and
// Filter.Type of the options.
func (q *Query) Count(ctx context.Context, b scq.Bindings, o Options) (*Count, error) {
	q = q.Snapshot()
	if q.model.Split() {
		return nil, q.fail(ErrNeedsWhole)
	}
	o, err := q.check(b, o.ofCount())
	if err != nil {
		return nil, q.fail(err)
	}
	j := q.judge(ctx, b, o)
	known, err := j.AllKnown()
	if err != nil {
		return nil, q.fail(err)
	}
	var n *Count
	err = q.Each(ctx, []scq.Bindings{b}, o.Settings, func(_ int, r *Run) (err error) {
		n, err = r.count(j, known)
		return err
	})
	return n, err
}

// ofCount returns the options that a count uses.
func (o *Options) ofCount() Options {
	return Options{Settings: o.Settings, Budget: o.Budget, HeldOut: o.HeldOut, Filter: Filter{Type: o.Filter.Type}}
}
