// Package reference executes plans with one plain loop per op, straight from the equations.
// Every compiled plan is tested against it.
//
// It is deliberately slow. It accumulates sums in float64 and rounds results to float32 as the semantics
// demands; it fuses and reuses nothing. It reads the graph and the predictor of package model and uses no
// kernel.
package reference

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Result is the result of a plan.
type Result struct {
	// Answer is the fuzzy vector of the free variable, length n.
	Answer []float32
	// Sets are the fuzzy vectors of the plan's sets, in order, length n each.
	Sets [][]float32
}

// Run executes a plan that Verify accepts. The bindings must fill the plan's slots with ids of the model.
func Run(ctx context.Context, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings) (*Result, error) {
	return run(ctx, p, m, s, b, nil)
}

// RunRounded is Run with every result perturbed by a possible float32 error: by at most roundings, times a
// number from −1 to 1 drawn by noise. Results that are exact in float32, such as the degree of an observed
// link, are unchanged. If the table has codes, results that may be computed from codes are also perturbed by
// the codes' error.
//
// This is Monte Carlo arithmetic (Parker 1997). The spread of the answers over several runs shows the possible
// effect of rounding on an answer: the condition of the problem, including discrete decisions such as which
// entities are the best.
func RunRounded(ctx context.Context, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings, noise func() float64) (*Result, error) {
	return run(ctx, p, m, s, b, noise)
}

func run(ctx context.Context, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings, noise func() float64) (*Result, error) {
	mc := &machine{
		model: m, settings: s, bindings: b, results: make(map[*ir.Value]any, len(p.Values)),
		scratch: make([]float32, 2*m.Predictor.Rank), noise: noise,
	}
	last := p.LastUses()
	for i, v := range p.Values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, err := mc.eval(v)
		if err != nil {
			return nil, fmt.Errorf("internal error: v%d: %w", i, err)
		}
		mc.results[v] = x
		for _, a := range v.Args {
			if last[a] == i {
				delete(mc.results, a)
			}
		}
	}
	r := &Result{Answer: mc.array(p.Answer)}
	for _, set := range p.Sets {
		r.Sets = append(r.Sets, mc.array(set.Value))
	}
	return r, nil
}
