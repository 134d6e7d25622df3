package main

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// benchFITFlags say which semantics are timed, and how those of truth degrees run.
type benchFITFlags struct {
	Semantics  []string `default:"nsmp" placeholder:"SEMANTICS" help:"Semantics, out of nsmp, fit and mixed, each on the engines of --engine (default: ${default})."`
	Candidates *int     `group:"degrees" placeholder:"K" help:"Number of best entities of a variable whose links are predicted; the model's if not given."`
	RowsMB     int      `name:"rows-mb" group:"degrees" default:"0" placeholder:"MB" help:"Memory for rows that are kept from one query to the next, in megabytes; none if not given."`
}

// check reports mistakes in the flags.
func (c *benchFITFlags) check() error {
	for i, s := range c.Semantics {
		if _, err := model.ParseSemantics(s); err != nil || s == "" {
			return usagef("--semantics: unknown %q, want some of %v", s, model.AllSemantics)
		}
		if slices.Contains(c.Semantics[:i], s) {
			return usagef("--semantics gives %s twice", s)
		}
	}
	switch {
	case len(c.Semantics) == 0:
		return usagef("--semantics needs at least one value")
	case c.Candidates != nil && slices.Equal(c.Semantics, []string{model.NSMP.String()}):
		return usagef("--candidates is a setting of truth degrees: add --semantics fit or mixed")
	case c.RowsMB < 0 || c.RowsMB > 1<<20:
		return usagef("--rows-mb is %d, want a number from 0 to %d", c.RowsMB, 1<<20)
	}
	if c.Candidates != nil {
		if err := model.CandidatesRange.CheckWhole(*c.Candidates); err != nil {
			return usagef("--%w", err)
		}
	}
	return nil
}

// all returns the semantics in order.
func (c *benchFITFlags) all() []model.Semantics {
	var all []model.Semantics
	for _, s := range c.Semantics {
		all = append(all, semanticsOf(s))
	}
	return all
}

// keepRows bounds the memory for the rows of a model that are kept: none without
// --rows-mb.
func (c *benchFITFlags) keepRows(m *query.Model) { m.Rows().SetBudget(c.RowsMB << 20) }

// settings returns those of a shape with those of the flags in their place.
func (c *benchFITFlags) settings(s model.Settings) model.Settings {
	if c.Candidates != nil {
		s.Degrees = s.Degrees.OrDefault()
		s.Degrees.Candidates = *c.Candidates
	}
	return s
}

// benchEngineLabel names an engine among those of all semantics.
func benchEngineLabel(s model.Semantics, engine string) string {
	if s == model.NSMP {
		return engine
	}
	return s.String() + " " + engine
}
