package calibrate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// perQuery is the number of answers of a query that are looked at: the best ones that do
// not follow from the observed graph.
const perQuery = 10

// observation is an answer that does not follow from the observed graph.
type observation struct {
	score, strength float64
	true            bool
	// drawn says that the question was put together of parts of others, and need not have
	// any answer.
	drawn bool
}

// observed is what was seen of a family of shapes under some semantics.
type observed struct {
	answers []observation
	queries int
	// known counts answers that follow from the observed graph, right those of them that the
	// full graph confirms.
	known, right int
}

// question is a query with its answers: easy ones follow from the observed graph, hard ones
// from the full one alone.
type question struct {
	bindings   scq.Bindings
	easy, hard []int32
	drawn      bool
	known      int // easy ones that the full graph refutes are known, but wrong
	wrong      int
}

// observer asks questions.
type observer struct {
	model   *query.Model
	full    *model.Graph
	options Options
	sampler *sample.Sampler
}

// shape asks queries of a benchmark shape, and as many that are put together of their
// constants, and adds what it sees to by, under each semantics.
func (o *observer) shape(ctx context.Context, name string, plans []*query.Plan, by map[model.Semantics]map[string]*observed) error {
	t, err := sample.NewShape(name)
	if err != nil {
		return err
	}
	var queries []queryset.Query
	each := func(q queryset.Query) { queries = append(queries, q) }
	if err := o.sampler.Run(ctx, t, &sample.State{Name: name}, o.model.Pool().Size(), each, func() error { return nil }); err != nil {
		return err
	}
	var questions []question
	for _, s := range model.AllSemantics {
		p, err := compiler.Prepare(o.model, t.Query, compiler.PrepareOptions{Plans: plans, Semantics: new(s)})
		if err != nil {
			return err
		}
		if questions == nil {
			if questions, err = o.questions(ctx, p, queries); err != nil || len(questions) == 0 {
				return err
			}
		}
		patterns := p.Query.Plan().Patterns
		for _, family := range []string{scq.Family(patterns), model.AnyFamily} {
			if by[s][family] == nil {
				by[s][family] = &observed{}
			}
		}
		seen, err := o.ask(ctx, p, questions)
		if err != nil {
			return err
		}
		for _, family := range []string{scq.Family(patterns), model.AnyFamily} {
			to := by[s][family]
			for i, q := range questions {
				to.answers = append(to.answers, seen[i]...)
				if !q.drawn {
					to.queries++
					to.known += q.known
					to.right += q.known - q.wrong
				}
			}
		}
	}
	return nil
}

// questions returns the queries, and as many with the constants of the next one.
func (o *observer) questions(ctx context.Context, p *compiler.Prepared, queries []queryset.Query) ([]question, error) {
	all := make([]question, 2*len(queries))
	used := make([]bool, len(all))
	errs := make([]error, len(all))
	solvers := make([]exact.Solver, o.model.Pool().Size())
	o.model.Pool().Each(len(all), func(worker, i int) {
		s := &solvers[worker]
		s.Budget = answerBudget
		q := queries[i/2]
		args := slices.Clone(q.Args)
		x := &all[i]
		if x.drawn = i%2 == 1; x.drawn {
			for j, param := range p.Source.Params {
				if strings.HasPrefix(param.Name, "s") {
					args[j] = queries[(i/2+1)%len(queries)].Args[j]
				}
			}
		}
		if x.bindings, errs[i] = p.BindingsByID(args); errs[i] != nil || ctx.Err() != nil {
			return
		}
		patterns := p.Query.Plan().Patterns
		easy, err := s.Answers(o.model.Graph, patterns, x.bindings)
		var full []int32
		if err == nil {
			full, err = s.Answers(o.full, patterns, x.bindings)
		}
		if err != nil { // a question that takes too much work is left out
			if !errors.Is(err, exact.ErrBudget) {
				errs[i] = err
			}
			return
		}
		used[i] = true
		x.easy, x.known = easy, len(easy)
		for _, e := range easy {
			if _, ok := slices.BinarySearch(full, e); !ok {
				x.wrong++
			}
		}
		// The solver may return a part of the graph, which must not be changed.
		x.hard = slices.DeleteFunc(slices.Clone(full), func(e int32) bool { _, ok := slices.BinarySearch(easy, e); return ok })
	})
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	var kept []question
	for i, x := range all {
		if used[i] {
			kept = append(kept, x)
		}
	}
	return kept, nil
}

// answerBudget bounds the work for the answers of a question.
const answerBudget = 1_000_000

// ask asks the questions, several at a time, and returns what it saw of each.
func (o *observer) ask(ctx context.Context, p *compiler.Prepared, questions []question) ([][]observation, error) {
	seen := make([][]observation, len(questions))
	var next atomic.Int64
	workers := min(o.model.Pool().Size(), len(questions))
	errs := make(chan error, workers)
	for range workers {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(questions) {
					errs <- nil
					return
				}
				err := p.Query.Run(ctx, questions[i].bindings, &p.Settings, func(w *query.Workspace) error {
					seen[i] = observe(w, p.Semantics, &questions[i])
					return nil
				})
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	var err error
	for range workers {
		err = errors.Join(err, <-errs)
	}
	return seen, err
}

// observe lists the best answers that do not follow from the observed graph.
func observe(w *query.Workspace, s model.Semantics, q *question) (list []observation) {
	top := rank.Top(w.Answer(), perQuery+len(q.easy))
	strength := w.Strength(s, top[0].Score)
	for _, e := range top {
		if _, known := slices.BinarySearch(q.easy, int32(e.Entity)); known {
			continue
		}
		_, right := slices.BinarySearch(q.hard, int32(e.Entity))
		list = append(list, observation{score: float64(e.Score), strength: strength, true: right, drawn: q.drawn})
		if len(list) == perQuery {
			break
		}
	}
	return list
}
