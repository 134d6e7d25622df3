package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
)

// tuneCmd chooses settings for each shape.
type tuneCmd struct {
	Model   string   `arg:"" name:"model.efoc" predictor:"model" help:"Model to tune."`
	Queries string   `arg:"" predictor:"file" help:"Validation queries with their answers: a BetaE or FIT folder, a FIT file, or JSON Lines. Test queries are refused."`
	Split   string   `default:"valid" placeholder:"NAME" help:"Split of the queries, where there are several (default: ${default})."`
	Shape   []string `placeholder:"SHAPES" predictor:"shape" help:"Shapes to tune, such as 2p,3p; all that there are queries of if not given."`
	Limit   int      `least:"1" placeholder:"N" help:"Number of queries of each shape; all if not given."`

	Semantics string `enum:"nsmp,fit,mixed" default:"nsmp" help:"Whose settings to tune: nsmp, λ, α, w and L of message passing; fit, K, ν, θ, τ and φ of truth degrees; mixed, these and g, with message passing as it was tuned before."`
	Graph     string `placeholder:"FOLDER" predictor:"file" help:"The graph with its validation split, by whose facts the temperature of each relation is set first; for fit and mixed."`
	graphFlags
	Folds int `least:"2" default:"5" help:"Number of parts of the queries, each of which judges settings that were chosen by the others (default: ${default})."`

	tuneGridFlags

	Output string `short:"o" required:"" placeholder:"OUT.efoc" predictor:"model" help:"Model to write, with the settings in it; it may be the same file."`
	Report string `placeholder:"FILE" predictor:"file" help:"Write the report: as Markdown if the name ends in .md, as JSON if in .json."`
	Resume string `placeholder:"STATE.jsonl" predictor:"file" help:"Keep the results in this file, and go on from those that it holds."`
}

// check reports mistakes in the command line.
func (c *tuneCmd) check() error {
	switch {
	case c.Graph != "" && c.Semantics == model.NSMP.String():
		return usagef("--graph: --semantics %s has no temperatures of relations", c.Semantics)
	case c.Report != "" && !strings.HasSuffix(c.Report, ".json") && !strings.HasSuffix(c.Report, ".md"):
		return usagef("--report %s: want a name that ends in .json or .md", c.Report)
	case c.Split == "test":
		return usagef("--split test: settings that are tuned on test queries make their evaluation worthless: tune on --split valid")
	}
	words := strings.FieldsFunc(filepath.Base(c.Queries), func(r rune) bool { return !unicode.IsLetter(r) })
	info, err := os.Stat(c.Queries)
	if err == nil && info.Mode().IsRegular() && slices.Contains(words, "test") {
		return usagef("%s: the name says that these are test queries, and settings that are tuned on them make their evaluation worthless: tune on validation queries", c.Queries)
	}
	written, read := []namedFile{{"--report", c.Report}, {"--resume", c.Resume}}, []namedFile{{"QUERIES", c.Queries}, {"--graph", c.Graph}}
	return cmp.Or(checkApart(written, append(read, namedFile{"MODEL", c.Model})),
		// The output may be the model itself, which it improves.
		checkApart(append(written, namedFile{"--output", c.Output}), read),
		writable(c.Output, c.Report))
}

// Run tunes, reports and writes the model.
func (c *tuneCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	semantics := semanticsOf(c.Semantics)
	grid, err := c.grid(semantics)
	if err != nil {
		return err
	}
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	set, err := a.openQueries(c.Queries, queryset.Options{Split: c.Split, Shapes: c.Shape, Limit: c.Limit})
	if err != nil {
		return err
	}
	bar := newBar(a.stderr)
	defer bar.clear()
	config := tune.Config{Model: m.Model, Semantics: semantics, Grid: grid, Folds: c.Folds}
	config.Progress = func(done, total int) { bar.show("tune", int64(done), int64(total)) }
	if c.Graph != "" {
		if err := c.calibrate(a, m, bar); err != nil {
			return err
		}
	}
	if c.Resume != "" {
		if config.State, err = tune.OpenState(c.Resume, set, config); err != nil {
			return formulaMistake(err)
		}
		defer func() { err = errors.Join(err, config.State.Close()) }()
	}
	report, err := tune.Run(a.ctx, set, config)
	if err != nil {
		return formulaMistake(err)
	}
	report.Model.File, report.Queries.File, report.Queries.Split = c.Model, c.Queries, c.Split
	m.Manifest.Tuned = report.Tuned(m.Manifest.Tuned)
	if err := model.Save(a.ctx, c.Output, m.Model.Model, func(done, total int64) { bar.show("write", done, total) }); err != nil {
		return err
	}
	bar.clear()
	return c.write(a, report)
}

// calibrate sets the temperature of each relation.
func (c *tuneCmd) calibrate(a *app, m *openModel, bar *bar) error {
	s, err := readSplits(a, c.Graph, c.graphFlags, m)
	if err != nil {
		return err
	}
	if len(s.Valid) == 0 {
		return fmt.Errorf("%s has no validation split to set temperatures by", c.Graph)
	}
	m.Manifest.Temperatures, err = fit.Calibrate(a.ctx, m.Model.Model, s.Valid, func(done, total int) { bar.show("calibrate", int64(done), int64(total)) })
	if err != nil {
		return fmt.Errorf("%s: %w", c.Graph, err)
	}
	return nil
}

// write prints the report and writes its file.
func (c *tuneCmd) write(a *app, r *tune.Report) error {
	p := &printer{w: a.stdout}
	for _, t := range r.Tables() {
		p.table(t.Header, tableRows(t.Rows))
		p.printf("\n")
	}
	tuned := 0
	for _, s := range r.Shapes {
		tuned += min(1, len(s.Tuned))
	}
	p.printf("%s\n\nwrote %s: %d of %d shapes have their own settings\n", r.Note(), c.Output, tuned, len(r.Shapes))
	if p.err != nil {
		return p.err
	}
	write := jsonOf(r)
	if strings.HasSuffix(c.Report, ".md") {
		write = r.WriteMarkdown
	}
	return writeFiles(outputFile{c.Report, write})
}
