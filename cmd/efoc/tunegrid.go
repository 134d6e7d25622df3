package main

import (
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/model"
)

// tuneGridFlags are the values to choose settings from.
type tuneGridFlags struct {
	Lambda []float64 `group:"settings" placeholder:"VALUES" help:"Values of λ to choose from; a good choice if not given, as with the following. The model's own are among them."`
	Alpha  []float64 `group:"settings" placeholder:"VALUES" help:"Values of α."`
	Weight []float64 `group:"settings" placeholder:"VALUES" help:"Values of w."`
	Layers []string  `group:"settings" placeholder:"VALUES" help:"Values of L, such as D+1,D+2, D being the number of a shape's variables; D+1 if not given."`

	Candidates  []int     `group:"degrees" placeholder:"VALUES" help:"Values of K, the number of best entities of a variable whose links are predicted. The least wins that is not certainly worse."`
	Negation    []float64 `group:"degrees" placeholder:"VALUES" help:"Values of ν, the factor of a degree that is negated."`
	Threshold   []float64 `group:"degrees" placeholder:"VALUES" help:"Values of θ, the degree below which a predicted link counts as none."`
	Temperature []float64 `group:"degrees" placeholder:"VALUES" help:"Values of τ, the divisor of the link predictor's scores before their softmax."`
	Leaf        []float64 `group:"degrees" placeholder:"VALUES" help:"Values of φ, the degree of a link of unknown head where none is observed."`
	Mixture     []float64 `group:"degrees" placeholder:"VALUES" help:"Values of g, the weight of truth degrees in the mixture."`
}

// grid returns the values to choose from.
func (c *tuneGridFlags) grid(s model.Semantics) (tune.Grid, error) {
	g := tune.DefaultGrid(s)
	messages, degrees := s == model.NSMP, s != model.NSMP
	for _, x := range []struct {
		name string
		to   *[]float64
		flag []float64
		read bool
	}{
		{"lambda", &g.Lambda, c.Lambda, messages}, {"alpha", &g.Alpha, c.Alpha, messages}, {"weight", &g.Weight, c.Weight, messages},
		{"layers", nil, make([]float64, len(c.Layers)), messages},
		{"candidates", nil, make([]float64, len(c.Candidates)), degrees},
		{"negation", &g.Negation, c.Negation, degrees}, {"threshold", &g.Threshold, c.Threshold, degrees},
		{"temperature", &g.Temperature, c.Temperature, degrees}, {"leaf", &g.Leaf, c.Leaf, degrees},
		{"mixture", &g.Mixture, c.Mixture, s == model.Mixed},
	} {
		switch {
		case len(x.flag) == 0:
		case !x.read:
			return g, usagef("--%s: --semantics %s does not tune it", x.name, s)
		case x.to != nil:
			*x.to = x.flag
		}
	}
	if len(c.Candidates) > 0 {
		g.Candidates = c.Candidates
	}
	if len(c.Layers) > 0 {
		g.Over = nil
		for _, text := range c.Layers {
			over, ok := overVariables(text)
			if !ok {
				return g, usagef("--layers: want values such as D+1, got %q", text)
			}
			g.Over = append(g.Over, over)
		}
	}
	if err := g.Validate(s); err != nil {
		return g, usagef("--%w", err)
	}
	return g, nil
}
