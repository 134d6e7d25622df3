package main

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// semanticsFlags choose what answers mean, and override the settings of truth
// degrees.
type semanticsFlags struct {
	Semantics   string   `enum:"nsmp,fit,mixed," default:"" placeholder:"SEMANTICS" help:"What answers mean: nsmp, probabilities by message passing; fit, truth degrees, the best witness counting; mixed, both. nsmp if neither this nor a file of templates says it."`
	Candidates  *int     `group:"degrees" placeholder:"K" help:"Number of best entities of a variable whose links are predicted; as many as there are entities is exact. The model's if not given, as with the following."`
	Negation    *float64 `group:"degrees" placeholder:"ν" help:"Factor of a degree that is negated, above 0."`
	Threshold   *float64 `group:"degrees" placeholder:"θ" help:"Degree below which a predicted link counts as none."`
	Temperature *float64 `group:"degrees" placeholder:"τ" help:"Divisor of the link predictor's scores before their softmax, above 0."`
	Leaf        *float64 `group:"degrees" placeholder:"φ" help:"Degree of a link of unknown head where none is observed."`
	Mass        *bool    `group:"degrees" help:"Scale rows by the share of observed tails, as FIT does, not by their number."`
	Mixture     *float64 `group:"degrees" placeholder:"g" help:"Weight of truth degrees in the mixture, from 0 to 1."`
	RowsMB      int      `name:"rows-mb" group:"degrees" default:"256" placeholder:"MB" help:"Memory for rows that are kept, in megabytes (default: ${default})."`
}

// applyDegrees returns settings with those of the flags in their place.
func (c *semanticsFlags) applyDegrees(s model.Settings) model.Settings {
	d := s.Degrees.OrDefault()
	for _, f := range []struct{ to, from *float64 }{
		{&d.Negation, c.Negation}, {&d.Threshold, c.Threshold}, {&d.Temperature, c.Temperature}, {&d.Leaf, c.Leaf}, {&d.Mixture, c.Mixture},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.Candidates != nil {
		d.Candidates = *c.Candidates
	}
	if c.Mass != nil {
		d.Mass = *c.Mass
	}
	if d != s.Degrees.OrDefault() {
		s.Degrees = d
	}
	return s
}

// checkDegrees reports a flag that is out of range, or one that nothing reads.
func (c *semanticsFlags) checkDegrees() error {
	if c.RowsMB < 1 || c.RowsMB > 1<<20 {
		return usagef("--rows-mb is %d, want a number from 1 to %d", c.RowsMB, 1<<20)
	}
	if err := c.applyDegrees(model.DefaultSettings()).Degrees.Validate(); err != nil {
		return usagef("--%w", err)
	}
	given := c.Candidates != nil || c.Negation != nil || c.Threshold != nil || c.Temperature != nil || c.Leaf != nil || c.Mass != nil
	switch semantics := c.semantics(); {
	case given && semantics == model.NSMP:
		return usagef("--candidates, --negation, --threshold, --temperature, --leaf and --mass are settings of truth degrees: add --semantics fit or mixed")
	case c.Mixture != nil && semantics != model.Mixed:
		return usagef("--mixture is a setting of the mixture: add --semantics mixed")
	}
	return nil
}

// checkSweep reports a setting to sweep that nothing reads.
func (c *semanticsFlags) checkSweep(sweep string) error {
	name, _, _ := strings.Cut(sweep, "=")
	switch semantics := c.semantics(); {
	case name == "mixture" && semantics != model.Mixed:
		return usagef("--sweep mixture: add --semantics mixed")
	case slices.Contains(degreeNames, name) && semantics == model.NSMP:
		return usagef("--sweep %s: add --semantics fit or mixed", name)
	case slices.Contains(messageNames, name) && semantics == model.FIT:
		return usagef("--sweep %s is a setting of message passing, which --semantics fit does not read", name)
	}
	return nil
}

// semanticsOf returns the semantics of a name that the command line has checked.
func semanticsOf(name string) model.Semantics {
	s, _ := model.ParseSemantics(name)
	return s
}

func (c *semanticsFlags) semantics() model.Semantics {
	return semanticsOf(c.Semantics)
}

// keepRows bounds the memory for the rows of a model that are kept.
func (c *semanticsFlags) keepRows(m *query.Model) { m.Rows().SetBudget(c.RowsMB << 20) }
