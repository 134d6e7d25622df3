package compare

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// contender is a way to answer queries.
type contender struct {
	name string
	// queries are efoc's, by group; nil where the PyTorch program answers, as args say.
	queries []*prepared
	args    []string
	// results are by group.
	results []result
}

// prepared is a shape that is ready to be answered.
type prepared struct {
	*runtime.Question
	settings model.Settings
	best     int            // how many answers are asked for, 0 for the scores of all entities
	args     []runtime.Args // of the queries, in order
	found    []runtime.Scored
}

// result is what came out of the queries of a shape.
type result struct {
	// milliseconds a query, by round.
	milliseconds []float64
	// answered are a program's answers to the first query.
	answered *Answered
}

// add adds a contender to the others.
func (f *field) add(c *contender) {
	c.results = make([]result, len(f.groups))
	f.contenders = append(f.contenders, c)
}

// prepare adds a contender of efoc's.
func (f *field) prepare(name string, best int, o compiler.Options) error {
	c := &contender{name: name}
	o.Plans = shapes.Plans()
	for _, g := range f.groups {
		p, err := compiler.Prepare(f.model, g.Template, o)
		if err != nil {
			return fmt.Errorf("shape %s: %w", g.Name, err)
		}
		x := &prepared{Question: p.Question, settings: p.Settings, best: best}
		for _, q := range g.Queries {
			args := runtime.Args(p.Spec().Args(q.Args...))
			if err := p.CheckArgs(args); err != nil {
				return fmt.Errorf("shape %s: %w", g.Name, err)
			}
			x.args = append(x.args, args)
		}
		c.queries = append(c.queries, x)
	}
	f.add(c)
	return nil
}

// turn answers all queries once.
func (f *field) turn(ctx context.Context, c *contender) error {
	if c.queries == nil {
		return f.run(ctx, c)
	}
	for i, g := range f.groups {
		x := c.queries[i]
		r := &c.results[i]
		if _, err := x.score(ctx, 0); err != nil { // not timed
			return err
		}
		total := time.Duration(0)
		for j := range g.Queries {
			took, err := x.score(ctx, j)
			if err != nil {
				return err
			}
			total += took
		}
		r.milliseconds = append(r.milliseconds, total.Seconds()*1000/float64(len(g.Queries)))
	}
	return nil
}

// score answers a query and returns the time that it took.
func (x *prepared) score(ctx context.Context, j int) (took time.Duration, err error) {
	start := time.Now()
	if x.best > 0 {
		x.found, err = x.Best(ctx, x.args[j], x.best, x.found)
		return time.Since(start), err
	}
	err = x.Each(ctx, x.args[j:j+1], &x.settings, func(int, *runtime.Run) error {
		took = time.Since(start)
		return nil
	})
	return took, err
}

// run lets the PyTorch program answer.
func (f *field) run(ctx context.Context, c *contender) error {
	measured, answers, err := f.peer(ctx, c.args)
	if err != nil {
		return err
	}
	for i, g := range f.groups {
		r := &c.results[i]
		r.milliseconds = append(r.milliseconds, measured[g.Name])
		if at := slices.IndexFunc(answers, func(a Answered) bool { return a.Type == g.Name }); at >= 0 {
			r.answered = &answers[at]
		}
	}
	return nil
}
