package main

import (
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/fullfit"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// engineExact is the engine of package fullfit, which is there to be measured against.
const engineExact = "exact"

// benchFITFlags say which semantics are timed, and how those of truth degrees run.
type benchFITFlags struct {
	Semantics  []string `default:"nsmp" placeholder:"SEMANTICS" help:"Semantics, out of nsmp, fit and mixed, each on the engines of --engine (default: ${default})."`
	Candidates *int     `group:"degrees" placeholder:"K" help:"Number of best entities of a variable whose links are predicted; the model's if not given."`
	RowsMB     int      `name:"rows-mb" group:"degrees" default:"0" placeholder:"MB" help:"Memory for rows that are kept from one query to the next, in megabytes; none if not given."`
	ExactMB    int      `name:"exact-mb" group:"degrees" default:"8192" placeholder:"MB" help:"Memory for the matrices of the engine exact, in megabytes (default: ${default})."`
	ExactDir   string   `group:"degrees" placeholder:"FOLDER" predictor:"file" help:"Keep the matrices of the engine exact in this folder, and use those that it holds."`
}

// check reports mistakes in the flags.
func (c *benchFITFlags) check(engines []string) error {
	for i, s := range c.Semantics {
		if !slices.Contains(fit.All, fit.Semantics(s)) {
			return usagef("--semantics: there is no %q, want some of %v", s, fit.All)
		}
		if slices.Contains(c.Semantics[:i], s) {
			return usagef("--semantics gives %s twice", s)
		}
	}
	exact := slices.Contains(engines, engineExact)
	switch {
	case len(c.Semantics) == 0:
		return usagef("--semantics needs at least one value")
	case c.Candidates != nil && slices.Equal(c.Semantics, []string{string(fit.NSMP)}):
		return usagef("--candidates is a setting of truth degrees: add --semantics fit or mixed")
	case exact && !slices.Contains(c.Semantics, string(fit.FIT)):
		return usagef("--engine exact answers by truth degrees: add --semantics fit")
	case c.ExactDir != "" && !exact:
		return usagef("--exact-dir keeps the matrices of --engine exact, which is not asked for")
	case c.RowsMB < 0 || c.RowsMB > 1<<20:
		return usagef("--rows-mb is %d, want a number from 0 to %d", c.RowsMB, 1<<20)
	case c.ExactMB < 1:
		return usagef("--exact-mb is %d, want 1 or more", c.ExactMB)
	}
	if c.Candidates != nil {
		if err := runtime.CandidatesRange.CheckWhole(*c.Candidates); err != nil {
			return usagef("--%w", err)
		}
	}
	return nil
}

// all returns the semantics in order.
func (c *benchFITFlags) all() []fit.Semantics {
	var all []fit.Semantics
	for _, s := range c.Semantics {
		all = append(all, fit.Semantics(s))
	}
	return all
}

// keepRows bounds the memory for the rows of a model that are kept: none without
// --rows-mb.
func (c *benchFITFlags) keepRows(m *runtime.Model) { fit.RowsOf(m).SetBudget(c.RowsMB << 20) }

// settings returns those of a shape with those of the flags in their place.
func (c *benchFITFlags) settings(s runtime.Settings) runtime.Settings {
	if c.Candidates != nil {
		s.Degrees = s.Degrees.OrDefault()
		s.Degrees.Candidates = *c.Candidates
	}
	return s
}

// benchEngineLabel names an engine among those of all semantics.
func benchEngineLabel(s fit.Semantics, engine string) string {
	if s == fit.NSMP {
		return engine
	}
	return string(s) + " " + engine
}

// makeMatrices makes what the engine exact needs for all queries.
func (b *bench) makeMatrices(ctx context.Context, progress *bar) error {
	defer progress.clear()
	var keys []fullfit.Key
	var engines []*benchEngine
	for _, g := range b.groups {
		for _, e := range g.engines {
			if e.name != engineExact {
				continue
			}
			engines = append(engines, e)
			for _, x := range e.bindings {
				keys = append(keys, fullfit.Needs(e.query.Plan().Patterns, x, e.settings.Degrees)...)
			}
		}
	}
	if len(engines) == 0 {
		return nil
	}
	matrices, err := fullfit.Make(ctx, b.model, keys, fullfit.Options{
		Budget: int64(b.fit.ExactMB) << 20, Dir: b.fit.ExactDir, Model: eval.ModelSum(b.model),
		Progress: func(done, total int) { progress.show("matrices", int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	for _, e := range engines {
		if e.query, err = matrices.Query(e.query); err != nil {
			return err
		}
	}
	b.matrices = matrices
	return nil
}
