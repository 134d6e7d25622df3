package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
)

// EasyFilter selects the easy answers that do not compete with a hard one.
type EasyFilter string

const (
	// Released filters all easy answers of the query file.
	Released EasyFilter = "released"
	// Strict filters only easy answers that the full graph entails. If the larger graph adds a
	// negated edge, an easy answer becomes wrong and competes.
	Strict EasyFilter = "strict"
)

// Config configures a run.
type Config struct {
	Model *runtime.Model
	// Engine, Kernels and Plans are as in compiler.Options.
	Engine  compiler.Engine
	Kernels func(c *stages.Compiled) (*device.Kernels, error)
	Plans   []*plan.Plan
	// Semantics is as in compiler.Options too.
	Semantics model.Semantics
	Settings  model.Settings
	Filter    EasyFilter
	// Full is needed for Strict, and for the numbers of missing links; nil if unknown.
	Full *FullGraph
	// Batch is the number of queries to ask together.
	Batch int
	// State logs finished queries; nil logs none.
	State *State
	// Progress, if not nil, receives the queries done and the total.
	Progress func(done, total int)
}

// heldOut returns the share of facts held out for the queries, as confidence assumes.
func (c *Config) heldOut() float64 {
	if c.Full != nil && c.Full.HeldOut > 0 {
		return c.Full.HeldOut
	}
	return c.Model.Bundle().Manifest.Missing.HeldOut
}

// Outcome holds the results of Run, by group of the set.
type Outcome struct {
	Groups []GroupOutcome
	// Asked counts the queries asked, not found in a state file.
	Asked int
}

// GroupOutcome is the outcome of a group.
type GroupOutcome struct {
	// Shape is the group's name if it names a benchmark shape. It is empty for other formulas, and for other readings
	// of a shape, such as pni-universal, which no average includes.
	Shape string
	// Engine is the engine used, Layers is L of each disjunct.
	Engine compiler.Engine
	Layers []int
	// AllLinks is the maximum number of links that an answer can need.
	AllLinks int
	// Time is the total time of the Asked queries.
	Time  time.Duration
	Asked int
	// Queries has a result for each query, nil if it did not run.
	Queries []*Result

	prepared *compiler.Prepared
}

// Result is the recorded result of a query.
type Result struct {
	// Ranks are the filtered ranks of the hard answers, in order.
	Ranks []float64 `json:"ranks"`
	// Scores are the scores of the hard answers, in order.
	Scores []float32 `json:"scores"`
	// Misses are the numbers of missing links of the hard answers, nil if unknown.
	Misses []int `json:"misses,omitempty"`
	// Claims are the confidences of the best answers, nil if the model is not calibrated.
	Claims []Claim `json:"claims,omitempty"`
}

// PrepareError is the error for a formula that does not compile with the settings.
type PrepareError struct {
	// Group is the name of the group.
	Group string
	Err   error
}

func (e *PrepareError) Error() string { return fmt.Sprintf("queries %s: %v", e.Group, e.Err) }

// Unwrap returns the compiler's error.
func (e *PrepareError) Unwrap() error { return e.Err }

// Run asks every query of the set. It checks all queries before it asks the first; the error for a formula is a
// *PrepareError. On an error, such as the end of ctx, it also returns the outcome so far.
func Run(ctx context.Context, set *queryset.Set, c Config) (*Outcome, error) {
	if c.State == nil {
		c.State = &State{found: newOutcome(set)}
	}
	r := &run{Config: c, outcome: c.State.found}
	for i := range set.Groups {
		out := &r.outcome.Groups[i]
		if err := r.prepare(set.Groups[i], out); err != nil {
			return r.outcome, err
		}
		if err := checkGroup(set.Groups[i], out.prepared, c.Model); err != nil {
			return r.outcome, err
		}
		for _, x := range out.Queries {
			r.total++
			if x != nil {
				r.done++
			}
		}
	}
	r.progress(0)
	for i := range set.Groups {
		if err := r.group(ctx, i, set.Groups[i]); err != nil {
			return r.outcome, err
		}
	}
	return r.outcome, nil
}

// run is one call of Run.
type run struct {
	Config
	outcome     *Outcome
	done, total int
}

func (r *run) progress(n int) {
	r.done += n
	if r.Progress != nil {
		r.Progress(r.done, r.total)
	}
}

// checkGroup reports queries that do not fit the model. p is the group's formula.
func checkGroup(g *queryset.Group, p *compiler.Prepared, m *runtime.Model) error {
	for i, q := range g.Queries {
		if err := p.CheckArgs(p.Spec().Args(q.Args...)); err != nil {
			return fmt.Errorf("query %d of %s: %w: is it the model of these queries?", i, g.Name, err)
		}
		for _, list := range [][]int32{q.Easy, q.Hard} {
			if n := len(list); n > 0 && (list[0] < 0 || int(list[n-1]) >= m.NumEntities() || !slices.IsSorted(list)) {
				return fmt.Errorf("query %d of %s: answers from %d to %d, want ascending ids of the model's %d entities: is it the model of these queries?",
					i, g.Name, list[0], list[n-1], m.NumEntities())
			}
		}
	}
	return nil
}

// prepare compiles the formula of a group.
func (r *run) prepare(g *queryset.Group, out *GroupOutcome) error {
	o := compiler.Options{Engine: r.Engine, Kernels: r.Kernels, Plans: r.Plans, Semantics: &r.Semantics, Settings: &r.Settings}
	p, err := compiler.Prepare(r.Model, g.Template, o)
	if err != nil {
		return &PrepareError{g.Name, err}
	}
	out.prepared = p
	out.Engine = p.Engine
	out.Layers = p.Layers()
	out.AllLinks = exact.Links(p.Shape().Disjuncts)
	if g.Name == stages.ShapeName(p.Shape().Key) {
		out.Shape = g.Name
	}
	return nil
}

// group runs the unfinished queries of a group.
func (r *run) group(ctx context.Context, group int, g *queryset.Group) error {
	out := &r.outcome.Groups[group]
	hi := 0
	for lo := 0; lo < len(g.Queries); lo = hi {
		hi = lo + 1
		if out.Queries[lo] != nil {
			continue
		}
		for hi < len(g.Queries) && hi < lo+r.Batch && out.Queries[hi] == nil {
			hi++
		}
		start := time.Now()
		results, err := r.batch(ctx, g.Name, out, g.Queries[lo:hi])
		out.Time += time.Since(start)
		if err != nil {
			return fmt.Errorf("queries %s from %d on: %w", g.Name, lo, err)
		}
		copy(out.Queries[lo:hi], results)
		if err := r.State.Append(record{Group: group, First: lo, Results: results}); err != nil {
			return err
		}
		out.Asked += hi - lo
		r.outcome.Asked += hi - lo
		r.progress(hi - lo)
	}
	out.prepared = nil // its workspaces are large
	return nil
}

// batch asks queries of one shape together and ranks their answers.
func (r *run) batch(ctx context.Context, name string, g *GroupOutcome, queries []queryset.Case) ([]*Result, error) {
	p := g.prepared
	args := argsOf(p, queries)
	_, calibrated := r.Model.Bundle().Manifest.Confidence[r.Semantics.String()]
	results, filtered, err := r.consult(ctx, name, p, args, queries)
	if err != nil {
		return nil, err
	}
	err = p.Each(ctx, args, nil, func(i int, x *runtime.Run) (err error) {
		answer := x.Scores()
		for _, e := range queries[i].Hard {
			results[i].Scores = append(results[i].Scores, answer[e])
		}
		results[i].Ranks, err = Ranks(answer, queries[i].Hard, filtered[i])
		if err == nil && calibrated {
			results[i].Claims, err = claims(queries[i], x, r.heldOut())
		}
		return err
	})
	return results, err
}

// argsOf returns the parameter values of queries.
func argsOf(p *compiler.Prepared, queries []queryset.Case) []runtime.Args {
	args := make([]runtime.Args, len(queries))
	for i, q := range queries {
		args[i] = p.Spec().Args(q.Args...)
	}
	return args
}

// consult queries the full graph. It returns the results with their missing links, and the easy answers to filter.
func (r *run) consult(ctx context.Context, name string, p *compiler.Prepared, args []runtime.Args, queries []queryset.Case) ([]*Result, [][]int32, error) {
	results := make([]*Result, len(queries))
	filtered := make([][]int32, len(queries))
	errs := make([]error, len(queries))
	r.Model.Bundle().Pool().Each(len(queries), func(_, i int) {
		results[i], filtered[i] = &Result{}, queries[i].Easy
		if r.Full == nil {
			return
		}
		q := question{name, p.Shape().Disjuncts, p.PartBindings(0, args[i])}
		results[i].Misses, errs[i] = r.Full.misses(ctx, q, queries[i])
		if r.Filter == Strict && errs[i] == nil {
			filtered[i], errs[i] = r.Full.entailed(ctx, q, queries[i])
		}
	})
	for i, err := range errs {
		if err != nil {
			return nil, nil, fmt.Errorf("query %d of them: %w", i, err)
		}
	}
	return results, filtered, nil
}
