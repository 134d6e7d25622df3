package anycq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Config says what to ask and how.
type Config struct {
	Model   *runtime.Model
	Prepare compiler.Options
	// Timeout bounds the time for a question; one that takes longer is not answered.
	Timeout time.Duration
}

// Result is what became of a question.
type Result struct {
	// Kind is the kind of its group.
	Kind string
	// Unanswered says why there is no answer, empty where there is one.
	Unanswered string
	Time       time.Duration

	// Positive and Negative are the scores of the answers to classify, PositiveRanks and
	// NegativeRanks their ranks among all entities that are not in the same list.
	Positive, Negative           []float32
	PositiveRanks, NegativeRanks []float64
	// Easy says of each positive answer whether observed facts give it, nil if that takes
	// too much work to find out.
	Easy []bool

	// Right says that the retrieved answer is right. Score is the score of its first value, 1 if that is observed.
	// Label is as in Question.
	Right bool
	Score float32
	Label Label
}

// easyBudget bounds the work for the answers that observed facts give.
const easyBudget = 20_000_000

// Run asks all questions, one after the other. On an error, such as the
// end of ctx, it also returns the results so far.
func Run(ctx context.Context, set *Set, c Config) ([]Result, error) {
	var results []Result
	for _, g := range set.Groups {
		p, refused := c.prepare(g)
		ask := func(ctx context.Context, q Question, r *Result) error { return c.ask(ctx, g, p, q, r) }
		if refused == nil && len(g.Template.Others) > 0 {
			ask, refused = c.tuples(g)
		}
		for _, q := range g.Questions {
			r := Result{Kind: g.Kind, Label: q.Label}
			start := time.Now()
			err := refused
			if err == nil {
				err = ask(ctx, q, &r)
			}
			if stop := ctx.Err(); stop != nil {
				return results, stop
			}
			if errors.Is(err, errModel) {
				return results, err
			}
			r.Time = time.Since(start)
			if err != nil {
				r.Unanswered = reason(err)
			}
			results = append(results, r)
		}
	}
	return results, nil
}

// prepare makes the formula of a group ready.
func (c *Config) prepare(g *Group) (*compiler.Prepared, error) {
	switch {
	case g.Refused != "":
		return nil, errors.New(g.Refused)
	case len(g.Template.Others) > 0:
		return nil, nil // see tuples
	}
	return compiler.Prepare(c.Model, g.Template, c.Prepare)
}

// reason is an error as a report counts it.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "out of time"
	}
	if list, _ := errors.AsType[lang.ErrorList](err); len(list) > 0 {
		return list[0].Msg
	}
	return err.Error()
}

// errModel is the error for questions that are not of the model.
var errModel = errors.New("is it the model of these questions?")

// ask asks one question.
func (c *Config) ask(ctx context.Context, g *Group, p *compiler.Prepared, q Question, r *Result) error {
	args := runtime.Args(p.Spec().Args(q.Args...))
	if err := p.CheckArgs(args); err != nil {
		return fmt.Errorf("%w: %w", err, errModel)
	}
	if err := c.check(q); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	links, err := c.links(ctx, q.Links)
	if err != nil {
		return err
	}
	if q.Label == "" {
		r.Easy = c.easy(p, args, q.Positive)
		return c.classify(ctx, p, args, q, r)
	}
	solver := exact.Solver{Budget: easyBudget}
	all, err := solver.Answers(c.Model.Bundle().Graph, p.Shape().Disjuncts, p.PartBindings(0, args))
	r.Score = links
	if err == nil && len(all) > 0 {
		r.retrieve(q, all[:1])
		return nil
	}
	return p.Each(ctx, []runtime.Args{args}, nil, func(_ int, x *runtime.Run) error {
		scores := x.Scores()
		best := int32(0)
		for e, s := range scores {
			if s > scores[best] {
				best = int32(e)
			}
		}
		r.Score *= scores[best]
		r.retrieve(q, []int32{best})
		return nil
	})
}

// retrieve says whether an answer is right.
func (r *Result) retrieve(q Question, answer []int32) {
	r.Right = slices.ContainsFunc(q.Answers, func(t []int32) bool { return slices.Equal(t, answer) })
}

// check checks the answers of a question.
func (c *Config) check(q Question) error {
	n := int32(c.Model.NumEntities())
	for _, list := range append([][]int32{q.Positive, q.Negative}, q.Answers...) {
		if i := slices.IndexFunc(list, func(e int32) bool { return e >= n }); i >= 0 {
			return fmt.Errorf("answer %d, but the model has %d entities: %w", list[i], n, errModel)
		}
	}
	return nil
}

// tuples makes a formula with several answer variables ready, and returns what asks a question.
func (c *Config) tuples(g *Group) (func(context.Context, Question, *Result) error, error) {
	p, err := compiler.Prepare(c.Model, g.Template, c.Prepare)
	if err != nil {
		return nil, err
	}
	whole := slices.IndexFunc(p.Spec().Parts, func(part plan.Part) bool { return part.Role == plan.Role{} })
	return func(ctx context.Context, q Question, r *Result) error {
		args := p.Spec().Args(q.Args...)
		if err := p.CheckArgs(args); err != nil {
			return fmt.Errorf("%w: %w", err, errModel)
		}
		if err := c.check(q); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		r.Score, err = c.links(ctx, q.Links)
		if err != nil {
			return err
		}
		if answer := c.observed(p, whole, args); answer != nil {
			r.retrieve(q, answer)
			return nil
		}
		rows, err := p.Ask(ctx, args, runtime.Options{K: 1, NoStatus: true})
		if err != nil || len(rows.Rows) == 0 {
			r.Score = 0
			return err
		}
		r.Score *= rows.Rows[0].Score
		var answer []int32
		for _, v := range rows.Rows[0].Values {
			answer = append(answer, int32(v.ID))
		}
		r.retrieve(q, answer)
		return nil
	}, nil
}

// classify sets the ranks and the chances of the answers to classify; without confidence it sets scores instead of
// chances.
func (c *Config) classify(ctx context.Context, p *compiler.Prepared, args runtime.Args, q Question, r *Result) error {
	var entities []graph.EntityID
	for _, e := range slices.Concat(q.Positive, q.Negative) {
		entities = append(entities, graph.EntityID(e))
	}
	return p.Each(ctx, []runtime.Args{args}, nil, func(_ int, x *runtime.Run) error {
		if err := r.rank(x.Scores(), q); err != nil {
			return err
		}
		judged, err := x.Judge(runtime.Options{HeldOut: c.Model.Bundle().Manifest.Missing.HeldOut}, entities)
		if err != nil || judged.Uncalibrated != "" {
			return err
		}
		scores := balanced(judged.Rows)
		r.Positive, r.Negative = scores[:len(r.Positive)], scores[len(r.Positive):]
		return nil
	})
}

// balanced converts confidence, which is calibrated on the best answers of questions, to the benchmark, where half of the
// given answers are right: it multiplies all odds by the one factor that makes the chances sum to half the number of
// answers.
func balanced(answers []runtime.Row) []float32 {
	chances := func(shift float64) (list []float32, sum float64) {
		for _, a := range answers {
			p := 1 / (1 + math.Exp(-shift)*(1-a.Confidence)/a.Confidence)
			list = append(list, float32(p))
			sum += p
		}
		return list, sum
	}
	low := -40.0
	high := 40.0
	for range 60 {
		middle := (low + high) / 2
		if _, sum := chances(middle); sum < float64(len(answers))/2 {
			low = middle
		} else {
			high = middle
		}
	}
	list, _ := chances(high)
	return list
}

// links returns the product of the scores of links: 1 for an observed link, otherwise the score of its tail as an
// answer to r(head, y).
func (c *Config) links(ctx context.Context, links []Link) (float32, error) {
	var asked []runtime.LinkQuestion
	for _, l := range links {
		n := int32(c.Model.NumEntities())
		m := int32(c.Model.NumRelations())
		if l.Head >= n || l.Tail >= n || l.Relation >= m {
			return 0, fmt.Errorf("link %v: %w", l, errModel)
		}
		q := runtime.LinkQuestion{Head: graph.EntityID(l.Head), Relation: graph.RelationID(l.Relation), Tails: []graph.EntityID{graph.EntityID(l.Tail)}}
		if !c.Model.Bundle().Graph.Has(q.Head, q.Relation, q.Tails[0]) {
			asked = append(asked, q)
		}
	}
	o := runtime.LinkOptions{Semantics: c.Prepare.Semantics}
	o.Settings = c.Prepare.Settings
	replies, err := c.Model.Links(ctx, asked, o)
	product := float32(1)
	for _, r := range replies {
		product *= r.Rows[0].Score
	}
	return product, err
}

// rank takes the scores and ranks of the answers to classify.
func (r *Result) rank(scores plan.Vector, q Question) (err error) {
	of := func(answers []int32) (list []float32, ranks []float64) {
		for _, e := range answers {
			list = append(list, scores[e])
		}
		ranks, bad := eval.Ranks(scores, slices.Sorted(slices.Values(answers)), nil)
		err = cmp.Or(err, bad)
		return list, ranks
	}
	r.Positive, r.PositiveRanks = of(q.Positive)
	r.Negative, r.NegativeRanks = of(q.Negative)
	return err
}

// observed returns an answer to a part of a formula that follows from observed facts; nil if there is none or the search
// takes too much work.
func (c *Config) observed(p *compiler.Prepared, part int, args runtime.Args) []int32 {
	patterns := p.Spec().Parts[part].Plan.Disjuncts
	b := p.PartBindings(part, args)
	s := exact.Solver{Budget: easyBudget}
	all, err := s.Answers(c.Model.Bundle().Graph, patterns, b)
	if len(all) == 0 || err != nil || len(patterns) != 1 {
		return nil
	}
	spec := p.Spec()
	answer := make([]int32, len(spec.Variables))
	within := make([][]int32, len(patterns[0].Variables))
	for position := range answer {
		i := spec.Searched(position)
		v := slices.Index(spec.Parts[part].Variables[0], spec.Variables[i])
		if v < 0 {
			return nil
		}
		values := all
		if position > 0 {
			values, err = s.Values(exact.Facts{c.Model.Bundle().Graph}, &patterns[0], b, v, within)
		}
		if len(values) == 0 || err != nil {
			return nil
		}
		within[v] = []int32{values[0]}
		answer[i] = values[0]
	}
	return answer
}

// easy reports for each answer whether it follows from observed facts; nil if that takes too much work.
func (c *Config) easy(p *compiler.Prepared, args runtime.Args, answers []int32) []bool {
	s := exact.Solver{Budget: easyBudget}
	all, err := s.Answers(c.Model.Bundle().Graph, p.Shape().Disjuncts, p.PartBindings(0, args))
	if err != nil {
		return nil
	}
	list := make([]bool, len(answers))
	for i, e := range answers {
		_, list[i] = slices.BinarySearch(all, e)
	}
	return list
}
