package tradeoff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/compare"
	"github.com/efoc/efoc/cmd/bench/internal/fullfit"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// contender is a way to answer queries.
type contender struct {
	// series is the line of the plot that it belongs to, candidates its place there, 0
	// if it is alone.
	series     string
	candidates int
	// One of the two answers.
	queries []*prepared // by group
	program *compare.Program
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
	*compare.Prepared
	stopped []bool // queries that took too long
}

// result is what came out of the queries of a shape.
type result struct {
	// milliseconds a query, by round.
	milliseconds []float64
	mrr          mean
	// stopped counts the queries that took too long.
	stopped int
}

// mean is a mean as it grows.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(x float64) { m.sum, m.count = m.sum+x, m.count+1 }

func (m *mean) value() float64 { return m.sum / float64(max(1, m.count)) }

// prepare makes a contender of efoc's.
func (f *field) prepare(series string, candidates int, o compiler.PrepareOptions) (*contender, error) {
	c := &contender{series: series, candidates: candidates, results: make([]result, len(f.groups))}
	f.model.Rows().SetBudget(0)
	for _, g := range f.groups {
		p, err := compare.Prepare(f.model, g, o)
		if err != nil {
			return nil, err
		}
		p.Settings.Degrees = p.Settings.Degrees.OrDefault()
		if candidates > 0 {
			p.Settings.Degrees.Candidates = candidates
		}
		c.queries = append(c.queries, &prepared{p, make([]bool, len(g.Queries))})
	}
	return c, nil
}

// exact makes the contender that has the matrices of all relations in use.
func (f *field) exact(ctx context.Context, cmd *Command) (*contender, error) {
	c, err := f.prepare(seriesExact, 0, compiler.PrepareOptions{Semantics: model.FIT})
	if err != nil {
		return nil, err
	}
	var keys []fullfit.Key
	for _, x := range c.queries {
		for _, b := range x.Bindings {
			keys = append(keys, fullfit.Needs(x.Plan().Patterns, b, x.Settings.Degrees)...)
		}
	}
	f.matrices, err = fullfit.Make(ctx, f.model, keys, fullfit.Options{
		Budget: int64(cmd.ExactMB) << 20, Dir: cmd.ExactDir, Model: eval.ModelSum(f.model),
		Progress: func(done, total int) {
			if done%10 == 0 || done == total {
				f.say("exact FIT: %d of %d matrices", done, total)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	for _, x := range c.queries {
		if x.Query, err = f.matrices.Query(x.Query); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// turn answers all queries once. The first round ranks the answers too.
func (c *contender) turn(ctx context.Context, groups []*queryset.Group, limit time.Duration, rank bool) error {
	if c.program != nil {
		return c.run(ctx, groups)
	}
	for i, g := range groups {
		x := c.queries[i]
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
			c.results[i].mrr.add(100 * eval.MRR(ranks))
		}
		r := &c.results[i]
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
// limit takes that, and is not asked again.
func (x *prepared) score(ctx context.Context, j int, limit time.Duration, use func(answer []float32)) (time.Duration, error) {
	if x.stopped[j] {
		return limit, nil
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	took := time.Duration(0)
	err := x.Scores(limited, x.Bindings[j], &x.Settings, func(answer query.Vector, _ []query.Vector) error {
		if took = time.Since(start); use != nil {
			use(answer)
		}
		return nil
	})
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		x.stopped[j] = true
		return limit, nil
	}
	return took, err
}

// run lets a program answer.
func (c *contender) run(ctx context.Context, groups []*queryset.Group) error {
	measured, _, err := c.program.Run(ctx, groups)
	if err != nil {
		return err
	}
	for i, g := range groups {
		m := measured[g.Name]
		r := &c.results[i]
		r.milliseconds = append(r.milliseconds, m.Milliseconds)
		r.mrr = mean{m.MRR, 1}
	}
	return nil
}
