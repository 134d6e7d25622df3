package runtime

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// report names the best entities that are wanted, of those ranked best first, and says of
// each how it relates to the graph. Without a filter no more are ranked than are wanted.
func (q *Query) report(ctx context.Context, b scq.Bindings, o Options, find linkFinder, ranked iter.Seq[rank.Ranked], sets [][]rank.Ranked) (*Reply, error) {
	filtered := q.filters(&o.Filter)
	r := q.newReply()
	c := q.newChecker(ctx, b, o)
	c.confidence, r.Uncalibrated = q.newConfidence(ctx, b, o, find)
	if r.Uncalibrated != "" && o.Filter.MinConfidence > 0 {
		return nil, noConfidence(r.Uncalibrated)
	}

	c.answers = make([]finding, 0, min(o.K, foundAtFirst))
	skip := o.Offset
	excluded := 0
	var failed error
	for e := range c.ahead(ranked, &failed) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(c.answers)+excluded == o.K {
			break
		}
		if c.spent() {
			r.Incomplete = true
			break
		}
		if skip > 0 && !filtered { // there is no need to look at it yet
			skip--
			c.skipped = append(c.skipped, e)
			continue
		}
		if c.excluded(e.Entity) {
			if !filtered {
				excluded++ // its place on the page stays empty
			}
			continue
		}
		a := finding{entity: e.Entity, score: e.Score}
		wanted, err := c.wants(ctx, &a)
		switch {
		case err != nil:
			return nil, err
		case !wanted:
		case skip > 0:
			skip--
		default:
			c.answers = append(c.answers, a)
		}
	}
	if failed != nil {
		return nil, failed
	}

	if o.Filter.MinConfidence == 0 {
		why, err := c.judgeAll(ctx, c.answers)
		if err != nil {
			return nil, err
		}
		r.Uncalibrated = cmp.Or(r.Uncalibrated, why)
	}
	if err := ctx.Err(); err != nil { // which leaves statuses undecided
		return nil, err
	}
	r.Rows = q.rows(r.Variables[0], c.answers)
	if next := o.Offset + o.K; len(c.answers)+excluded == o.K && next < q.model.NumEntities() {
		r.Next = next
	}
	if o.SetSize == 0 {
		return r, nil
	}
	for i, s := range q.plan.Sets {
		members := make([]finding, len(sets[i]))
		for k, e := range sets[i] {
			members[k] = finding{entity: e.Entity, score: e.Score}
		}
		variable := q.names.Variables[s.SCQ][s.Variable]
		r.Sets = append(r.Sets, FuzzySet{SCQ: s.SCQ, Variable: variable, Top: q.rows(variable, members)})
	}
	return r, nil
}

// foundAtFirst bounds the findings that there is room for before there are any.
const foundAtFirst = 64

// newReply returns the reply with answers of one variable before there are any.
func (q *Query) newReply() *Reply {
	return &Reply{Kind: plan.Answers, Variables: q.names.Variables[0][:1], Semantics: q.plan.Semantics}
}

// checker says how the answers of a question relate to the graph.
type checker struct {
	confidence
	options  Options
	model    *model.Model
	patterns []scq.Graph
	bindings scq.Bindings
	ranges   [][]model.RelationID
	solver   exact.Solver
	facts    exact.Facts // observed, and held back if there are any
	statuses map[model.EntityID]Status
	answers  []finding // that are wanted
}

func (q *Query) newChecker(ctx context.Context, b scq.Bindings, o Options) *checker {
	c := &checker{options: o, model: q.model.Model, patterns: q.plan.Patterns, bindings: b}
	for i := range q.plan.Patterns {
		c.ranges = append(c.ranges, rangesOf(&q.plan.Patterns[i], b))
	}
	if o.NoStatus {
		return c
	}
	c.solver = exact.Solver{Context: ctx, Budget: o.Budget}
	c.statuses = map[model.EntityID]Status{}
	c.facts = (exact.Facts{q.model.Graph})
	if q.model.Heldout != nil {
		c.facts = append(c.facts, q.model.Heldout)
	}
	return c
}

// excluded reports whether the query says that no answer is e. Its probability is 0, but
// where fewer entities have more than are asked for it is among the best.
func (c *checker) excluded(e model.EntityID) bool {
	for i := range c.patterns {
		if !c.patterns[i].Excludes(c.bindings, e) {
			return false
		}
	}
	return len(c.patterns) > 0
}

// spent reports whether the work for a filter has come to its bound.
func (c *checker) spent() bool {
	return c.options.Filter.any() && c.solver.Spent()/searchBudgets >= c.options.Budget
}

// wants fills in status and range of a and reports whether the filter accepts it. Confidence is added
// later, for all answers at once, unless the filter needs it.
func (c *checker) wants(ctx context.Context, a *finding) (bool, error) {
	f := &c.options.Filter
	e := rank.Ranked{Entity: a.entity, Score: a.score}
	wanted := c.ofTypes(a.entity)
	if wanted {
		a.outOfRange = c.outOfRange(a.entity)
		wanted = !(a.outOfRange && (f.InRange || f.MinConfidence > 0 && c.atMost(e) < f.MinConfidence)) // nor can it be known
	}
	if !wanted && !c.seeks() {
		return false, nil
	}
	if !c.options.NoStatus {
		a.status = c.status(a.entity)
	}
	c.see(e, a.status)
	if !wanted || !f.admits(a.status) {
		return false, nil
	}
	if f.MinConfidence == 0 {
		return true, nil
	}
	if a.status != Known && c.atMost(e) < f.MinConfidence {
		return false, nil
	}
	err := c.judge(ctx, []*finding{a})
	return a.confidence >= f.MinConfidence, err
}

// ofTypes reports whether an entity is of the types that the filter and the query ask for.
func (c *checker) ofTypes(e model.EntityID) bool {
	return ofType(c.model, e, c.options.Filter.Type) && ofType(c.model, e, c.options.Filter.limit)
}

// status says whether an answer follows from the observed graph, or from it
// together with the facts held back.
func (c *checker) status(e model.EntityID) Status {
	if _, ok := c.statuses[e]; !ok {
		c.decide([]model.EntityID{e})
	}
	return c.statuses[e]
}

// decide finds the statuses of entities together, which takes little more work than one of them. If it
// takes more than the budget for several, their open statuses are left to be found one by one.
func (c *checker) decide(entities []model.EntityID) {
	open := make([]int32, len(entities))
	for i, e := range entities {
		open[i] = int32(e)
	}
	slices.Sort(open)
	open = slices.Compact(open)
	rest := Predicted
	for i, status := range []Status{Known, Confirmed}[:len(c.facts)] {
		found, complete := c.following(c.facts[:i+1], open)
		for _, e := range found {
			c.statuses[model.EntityID(e)] = status
		}
		open = slices.DeleteFunc(open, func(e int32) bool { _, ok := c.statuses[model.EntityID(e)]; return ok })
		if !complete && len(entities) > 1 {
			return
		}
		if !complete && status == Known {
			rest = Undecided
			break
		}
	}
	for _, e := range open {
		c.statuses[model.EntityID(e)] = rest
	}
}

// following returns the given entities that follow from facts by a disjunct, ascending, and whether
// the budget suffices to find them all.
func (c *checker) following(f exact.Facts, entities []int32) (found []int32, complete bool) {
	complete = true
	for i := range c.patterns {
		more, err := c.solver.Among(f, c.patterns[i:i+1], c.bindings, entities)
		found = append(found, more...)
		complete = complete && err == nil
	}
	return found, complete
}

// outOfRange reports whether the graph has no fact that puts an entity where the free
// variable stands: see Row.OutOfRange.
func (c *checker) outOfRange(e model.EntityID) bool {
	for _, relations := range c.ranges {
		if len(relations) == 0 {
			return false
		}
		for _, r := range relations {
			if len(c.model.Graph.Tails(e, r)) > 0 {
				return false
			}
		}
	}
	return true
}

// rangesOf lists the relations of a pattern's positive atoms at the free variable, read
// from there.
func rangesOf(p *scq.Graph, b scq.Bindings) []model.RelationID {
	var list []model.RelationID
	for _, a := range p.Atoms {
		if a.Negated {
			continue
		}
		r := b.Relations[a.Relation]
		if a.Head == scq.Var(0) {
			list = append(list, r)
		}
		if a.Tail == scq.Var(0) {
			list = append(list, r.Inverse())
		}
	}
	return list
}
