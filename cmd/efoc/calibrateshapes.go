package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/model"
)

// perShapeFlags say how settings are chosen for each shape.
type perShapeFlags struct {
	PerShape  string           `group:"per-shape" placeholder:"QUERIES" in:"" predictor:"file" help:"Choose only settings for each shape, on these validation queries with their answers: a BetaE or FIT folder, a FIT file, or JSON Lines. Test queries are refused."`
	Semantics *model.Semantics `group:"per-shape" enum:"nsmp,fit,mixed" placeholder:"SEMANTICS" help:"Settings to choose: nsmp for λ, α, w and L of message passing; fit for K, ν, θ, τ and φ of truth degrees; mixed for these and g, with message passing as tuned before (default: nsmp)."`
	Sweep     []string         `group:"per-shape" sep:"none" placeholder:"NAME=VALUES" help:"Values of a setting to choose from, such as lambda=0,0.1,0.2 or layers=D+1,D+2, where D is the number of a shape's variables; may be repeated. The model's own value is always included. Other settings have a default grid."`
	Shape     []string         `group:"per-shape" placeholder:"SHAPES" predictor:"shape" help:"Shapes to choose settings for, such as 2p,3p; by default all that have queries."`
	JSON      string           `group:"per-shape" name:"json" placeholder:"FILE" out:"*" predictor:"file" help:"Write the report as JSON."`
}

// given reports whether one of the flags that need --per-shape is given.
func (f *perShapeFlags) given() bool {
	return f.Semantics != nil || len(f.Sweep) > 0 || len(f.Shape) > 0 || f.JSON != ""
}

// folds is the number of parts of the queries, each of which judges settings that were chosen
// by the others.
const folds = 5

// testQueries is why queries of the test split are refused.
const testQueries = "settings that are chosen by test queries make their evaluation worthless: name validation queries"

// perShape chooses settings for each shape.
func (c *calibrateCmd) perShape(a *app) error {
	words := strings.FieldsFunc(filepath.Base(c.PerShape), func(r rune) bool { return !unicode.IsLetter(r) })
	info, err := os.Stat(c.PerShape)
	if err == nil && info.Mode().IsRegular() && slices.Contains(words, "test") {
		return usagef("%s: the name says that these are test queries, and %s", c.PerShape, testQueries)
	}
	semantics := semanticsFlag{Semantics: c.Semantics}.choose("", model.NSMP)
	grid, err := parseGrid(c.Sweep, semantics)
	if err != nil {
		return err
	}
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	const split = "valid"
	set, err := a.openQueries(c.PerShape, queryset.Options{Split: split, Shapes: c.Shape, Limit: c.Limit})
	if err != nil {
		return err
	}
	if slices.Contains(set.Splits(), "test") {
		return usagef("%s: there are queries of the test split, and %s", c.PerShape, testQueries)
	}
	config := tune.Config{Model: m.Model, Semantics: semantics, Grid: grid, Folds: folds}
	config.Progress = a.bar.counter("calibrate")
	report, err := tune.Run(a.ctx, set, config)
	if err != nil {
		return formulaMistake(err)
	}
	report.Model.File, report.Queries.File, report.Queries.Split = c.Model, c.PerShape, split
	m.Manifest.Tuned = report.Tuned(m.Manifest.Tuned)
	if m.Manifest.Confidence != nil {
		m.Manifest.Confidence = nil // it was that of other scores
		a.notef("note: with other settings scores mean something else: efoc calibrate --only confidence says what")
	}
	if err := model.Save(a.ctx, c.Output, m.Model.Model, func(done, total int64) { a.bar.show("write", done, total) }); err != nil {
		return err
	}
	p := a.printer()
	p.tables(report.Tables())
	tuned := 0
	for _, s := range report.Shapes {
		tuned += min(1, len(s.Tuned))
	}
	p.printf("%s\n\nwrote %s: %d of %d shapes have their own settings\n", report.Note(), c.Output, tuned, len(report.Shapes))
	if p.err != nil {
		return p.err
	}
	return writeFiles(outputFile{c.JSON, jsonOf(report)})
}

// parseGrid reads the values of each --sweep; others are the default ones.
func parseGrid(sweeps []string, semantics model.Semantics) (tune.Grid, error) {
	g := tune.DefaultGrid(semantics)
	seen := map[string]bool{}
	for _, text := range sweeps {
		name, list, err := cutSweep(text, func(x *model.Setting) bool { return tune.Chooses(semantics, x.Name) })
		if err != nil {
			return g, err
		}
		if seen[name] {
			return g, usagef("--sweep %s is given twice", name)
		}
		seen[name] = true
		if name == model.LayersRange.Name {
			g.Over, g.Cycles = nil, nil
		} else {
			g.Values[name] = nil
		}
		for value := range strings.SplitSeq(list, ",") {
			value = strings.TrimSpace(value)
			if name == model.LayersRange.Name {
				over, ok := overVariables(value)
				if !ok {
					return g, usagef("--sweep %s: want values such as D+1, got %q", text, value)
				}
				g.Over = append(g.Over, over)
				continue
			}
			x, err := model.SettingNamed(name).Parse(value)
			if err != nil {
				return g, usagef("--sweep: %w", err)
			}
			g.Values[name] = append(g.Values[name], x)
		}
	}
	if err := g.Validate(semantics); err != nil {
		return g, usagef("--sweep: %w", err)
	}
	return g, nil
}
