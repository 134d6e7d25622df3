package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// contender is a way to answer queries.
type contender struct {
	// series is the line of the plot that it belongs to, candidates its place there, 0
	// if it is alone.
	series     string
	candidates int
	// One of the two answers.
	queries []*prepared // by group
	program *Program
	// results are by group.
	results []result
}

// name distinguishes contenders.
func (c *contender) name() string {
	if c.candidates > 0 {
		return fmt.Sprintf("%s, K = %d", c.series, c.candidates)
	}
	return c.series
}

// prepared is a shape that is ready to be answered.
type prepared struct {
	*query.Query
	settings model.Settings
	best     int            // how many answers are asked for, 0 for the scores of all entities
	bindings []scq.Bindings // of the queries, in order
	stopped  []bool         // queries that took too long
}

// result is what came out of the queries of a shape.
type result struct {
	// milliseconds a query, by round.
	milliseconds []float64
	// mrr is in percent: of each query, or a program's mean.
	mrr []float64
	// stopped counts the queries that took too long.
	stopped int
	// answered are a program's answers to the first query.
	answered *Answered
}

// add adds a contender.
func (f *field) add(c *contender) {
	c.results = make([]result, len(f.groups))
	f.contenders = append(f.contenders, c)
}

// prepare adds a contender of efoc's.
func (f *field) prepare(series string, candidates int, o compiler.PrepareOptions) (*contender, error) {
	c := &contender{series: series, candidates: candidates}
	o.Plans = shapes.Plans()
	for _, g := range f.groups {
		p, err := compiler.Prepare(f.model, g.Template, o)
		if err != nil {
			return nil, fmt.Errorf("shape %s: %w", g.Name, err)
		}
		x := &prepared{Query: p.Query, settings: p.Settings, stopped: make([]bool, len(g.Queries))}
		for _, q := range g.Queries {
			b, err := p.BindingsByID(q.Args)
			if err != nil {
				return nil, fmt.Errorf("shape %s: %w", g.Name, err)
			}
			x.bindings = append(x.bindings, b)
		}
		x.settings.Degrees = x.settings.Degrees.OrDefault()
		if candidates > 0 {
			x.settings.Degrees.Candidates = candidates
		}
		c.queries = append(c.queries, x)
	}
	f.add(c)
	return c, nil
}

// turn answers all queries once, and ranks the answers if rank says so.
func (c *contender) turn(ctx context.Context, groups []*queryset.Group, limit time.Duration, rank bool) error {
	if c.program != nil {
		return c.run(ctx, groups)
	}
	for i, g := range groups {
		x, r := c.queries[i], &c.results[i]
		if _, err := x.score(ctx, 0, limit, nil); err != nil { // not timed
			return err
		}
		total := time.Duration(0)
		for j, q := range g.Queries {
			var scores []float32
			took, err := x.score(ctx, j, limit, func(answer []float32) {
				if rank {
					scores = slices.Clone(answer)
				}
			})
			if err != nil {
				return err
			}
			total += took
			if !rank || len(q.Hard) == 0 {
				continue
			}
			var ranks []float64 // none if it was stopped
			if scores != nil {
				if ranks, err = eval.Ranks(scores, q.Hard, q.Easy); err != nil {
					return fmt.Errorf("query %d of %s: %w", j, g.Name, err)
				}
			}
			r.mrr = append(r.mrr, 100*eval.MRR(ranks))
		}
		r.milliseconds = append(r.milliseconds, total.Seconds()*1000/float64(len(g.Queries)))
		r.stopped = 0
		for _, s := range x.stopped {
			if s {
				r.stopped++
			}
		}
	}
	return nil
}

// score answers a query and returns the time that it took; one that takes longer than
// limit takes that, and is not asked again. use is told the scores of all entities, if it is
// not nil and they are asked for.
func (x *prepared) score(ctx context.Context, j int, limit time.Duration, use func(answer []float32)) (time.Duration, error) {
	if x.stopped[j] {
		return limit, nil
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	var took time.Duration
	var err error
	if x.best > 0 {
		_, err = x.Answer(limited, x.bindings[j], query.Options{K: x.best, Settings: &x.settings})
		took = time.Since(start)
	} else {
		err = x.Scores(limited, x.bindings[j], &x.settings, func(answer query.Vector, _ []query.Vector) error {
			if took = time.Since(start); use != nil {
				use(answer)
			}
			return nil
		})
	}
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		x.stopped[j] = true
		return limit, nil
	}
	return took, err
}

// run lets a program answer.
func (c *contender) run(ctx context.Context, groups []*queryset.Group) error {
	measured, answers, err := c.program.Run(ctx, groups)
	if err != nil {
		return err
	}
	for i, g := range groups {
		m, r := measured[g.Name], &c.results[i]
		r.milliseconds = append(r.milliseconds, m.Milliseconds)
		r.mrr = []float64{m.MRR}
		if at := slices.IndexFunc(answers, func(a Answered) bool { return a.Type == g.Name }); at >= 0 {
			r.answered = &answers[at]
		}
	}
	return nil
}
