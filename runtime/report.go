package runtime

import (
	"context"
	"iter"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// report names the best entities that are wanted, of those ranked best first, and says of
// each how it relates to the graph. Without a filter no more are ranked than are wanted.
func (q *Query) report(ctx context.Context, b scq.Bindings, o Options, find findLinks, ranked iter.Seq[rank.Ranked], sets [][]rank.Ranked) (*Answers, error) {
	filtered := q.filters(&o.Filter)
	r := &Answers{Variable: q.names.Variables[0][0], Semantics: q.plan.Semantics, Answers: []Answer{}} // none is a list too, in JSON
	c := q.newChecker(b, o)
	if c.confidence, r.Uncalibrated = q.newConfidence(ctx, b, o, find); r.Uncalibrated != "" && o.Filter.MinConfidence > 0 {
		return nil, noConfidence(r.Uncalibrated)
	}
	skip, excluded := o.Offset, 0
	var failed error
	for e := range c.ahead(ranked, &failed) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(r.Answers)+excluded == o.K {
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
		a := Answer{Member: Member{Entity: e.Entity, Score: e.Score}}
		wanted, err := c.wants(ctx, &a)
		switch {
		case err != nil:
			return nil, err
		case !wanted:
		case skip > 0:
			skip--
		default:
			a.Member = q.member(e)
			r.Answers = append(r.Answers, a)
		}
	}
	if failed != nil {
		return nil, failed
	}
	if o.Filter.MinConfidence == 0 {
		if err := c.judgeAll(ctx, r); err != nil {
			return nil, err
		}
	}
	if next := o.Offset + o.K; len(r.Answers)+excluded == o.K && next < q.model.NumEntities() {
		r.Next = next
	}
	if o.SetSize == 0 {
		return r, nil
	}
	for i, s := range q.plan.Sets {
		set := FuzzySet{SCQ: s.SCQ, Variable: q.names.Variables[s.SCQ][s.Variable]}
		for _, e := range sets[i] {
			set.Top = append(set.Top, q.member(e))
		}
		r.Sets = append(r.Sets, set)
	}
	return r, nil
}

func (q *Query) member(e rank.Ranked) Member {
	return Member{Entity: e.Entity, Name: q.model.EntityName(e.Entity), Label: q.model.EntityLabel(e.Entity), Score: e.Score}
}

// checker says how the answers of a question relate to the graph.
type checker struct {
	confidence
	options  Options
	model    *model.Model
	patterns []scq.Graph
	bindings scq.Bindings
	ranges   [][]model.RelationID
	// observed are the searches of the disjuncts in the observed graph, all in that and the
	// facts held back.
	observed, all []*scq.Search
}

func (q *Query) newChecker(b scq.Bindings, o Options) *checker {
	c := &checker{options: o, model: q.model.Model, patterns: q.plan.Patterns, bindings: b}
	for i := range q.plan.Patterns {
		p := &q.plan.Patterns[i]
		c.ranges = append(c.ranges, rangesOf(p, b))
		if o.NoStatus {
			continue
		}
		c.observed = append(c.observed, scq.NewSearch([]*model.Graph{q.model.Graph}, p, b))
		if q.model.Heldout != nil {
			c.all = append(c.all, scq.NewSearch([]*model.Graph{q.model.Graph, q.model.Heldout}, p, b))
		}
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
	if !c.options.Filter.any() {
		return false
	}
	visited := 0
	for _, list := range [][]*scq.Search{c.observed, c.all} {
		for _, s := range list {
			visited += s.Visited()
		}
	}
	return visited/searchBudgets >= c.options.Budget
}

// wants fills in what is to be said of an answer, and reports whether the filter wants it. The
// confidence of those that it takes whatever that is is filled in later, for all at once.
func (c *checker) wants(ctx context.Context, a *Answer) (bool, error) {
	f, e := &c.options.Filter, rank.Ranked{Entity: a.Entity, Score: a.Score}
	wanted := ofType(c.model, a.Entity, f.Type) && ofType(c.model, a.Entity, f.limit)
	if wanted {
		a.OutOfRange = c.outOfRange(a.Entity)
		wanted = !(a.OutOfRange && (f.InRange || f.MinConfidence > 0 && c.atMost(e) < f.MinConfidence)) // nor can it be known
	}
	if !wanted && !c.seeks() {
		return false, nil
	}
	if !c.options.NoStatus {
		a.Status = c.status(a.Entity)
	}
	c.see(e, a.Status)
	if !wanted || f.Statuses != 0 && !f.Statuses.Has(a.Status) {
		return false, nil
	}
	if f.MinConfidence == 0 {
		return true, nil
	}
	if a.Status != Known && c.atMost(e) < f.MinConfidence {
		return false, nil
	}
	err := c.judge(ctx, []*Answer{a})
	return a.Confidence >= f.MinConfidence, err
}

// status says whether an answer follows from the observed graph, or from it
// together with the facts held back.
func (c *checker) status(e model.EntityID) Status {
	known := c.follows(c.observed, e)
	if known == Predicted && c.follows(c.all, e) == Known {
		return Confirmed
	}
	return known
}

// follows is Known, Predicted or Undecided by the searches of the disjuncts.
func (c *checker) follows(disjuncts []*scq.Search, e model.EntityID) Status {
	status := Predicted
	for _, s := range disjuncts {
		holds, complete := s.Holds(e, c.options.Budget)
		if holds {
			return Known
		}
		if !complete {
			status = Undecided
		}
	}
	return status
}

// outOfRange reports whether the graph has no fact that puts an entity where the free
// variable stands: see Answer.OutOfRange.
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
