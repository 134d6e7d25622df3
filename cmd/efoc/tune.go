package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
)

// tuneCmd chooses settings for each shape.
type tuneCmd struct {
	Model   string   `arg:"" name:"model.efoc" predictor:"model" help:"Model to tune."`
	Queries string   `arg:"" predictor:"file" help:"Validation queries with their answers: a BetaE or FIT folder, a FIT file, or JSON Lines. Test queries are refused."`
	Split   string   `default:"valid" placeholder:"NAME" help:"Split of the queries, where there are several (default: ${default})."`
	Shape   []string `placeholder:"SHAPES" predictor:"shape" help:"Shapes to tune, such as 2p,3p; all that there are queries of if not given."`
	Limit   int      `placeholder:"N" help:"Number of queries of each shape; all if not given."`

	Semantics string `enum:"nsmp,fit,mixed" default:"nsmp" help:"Whose settings to tune: nsmp, λ, α, w and L of message passing; fit, K, ν, θ, τ and φ of truth degrees; mixed, these and g, with message passing as it was tuned before."`
	Graph     string `placeholder:"FOLDER" predictor:"file" help:"The graph with its validation split, by whose facts the temperature of each relation is set first; for fit and mixed."`
	graphFlags
	Folds int `default:"5" help:"Number of parts of the queries, each of which judges settings that were chosen by the others (default: ${default})."`

	tuneGridFlags

	Output string `short:"o" required:"" placeholder:"OUT.efoc" predictor:"model" help:"Model to write, with the settings in it; it may be the same file."`
	Report string `placeholder:"FILE" predictor:"file" help:"Write the report: as Markdown if the name ends in .md, as JSON if in .json."`
	Resume string `placeholder:"STATE.jsonl" predictor:"file" help:"Keep the results in this file, and go on from those that it holds."`
}

// Help shows examples.
func (c *tuneCmd) Help() string {
	return `Asks validation queries with many settings, chooses the best for each shape, and writes the model with them. ask, eval and generated
plans use them from then on; info shows them. A shape keeps the model's own settings unless others are better on queries that they
were not chosen by. Settings for other shapes, from an earlier run, are kept.

Message passing and truth degrees have separate settings, and tuning those of one leaves those of the other. Tune --semantics mixed
after nsmp: it takes the messages as they are. With --graph the link predictor's scores are made comparable between relations before
anything is tuned: each gets the temperature that suits its validation facts. A model holds one choice for truth degrees, of fit or of mixed, whichever was last.

Validation queries have hard answers that need the facts of the validation split. Never tune on the queries that you evaluate
with: a test split, or a file whose name says test, is refused, but a file of JSON Lines does not say what it holds.

An interrupt writes no model. With --resume the same command goes on from there.

Examples:

    efoc sample --graph FB15k-237/ --split valid --count 200 -o valid.jsonl
    efoc tune fb15k-237.efoc valid.jsonl -o fb15k-237-tuned.efoc --report tuned.md
    efoc tune fb15k-237.efoc FB15k-237-betae/ --shape 2in,3in --limit 500 --lambda 0,0.1,0.2 -o tuned.efoc
    efoc tune fb15k-237-tuned.efoc valid.jsonl --semantics mixed --graph FB15k-237/ -o fb15k-237-tuned.efoc
    efoc tune nell995.efoc valid.jsonl --layers D+1,D+2 --resume nell995.state.jsonl -o nell995.efoc`
}

// check reports mistakes in the command line.
func (c *tuneCmd) check() error {
	switch {
	case c.Limit < 0:
		return usagef("--limit is %d, want 1 or more", c.Limit)
	case c.Graph != "" && c.Semantics == model.NSMP.String():
		return usagef("--graph: --semantics %s has no temperatures of relations", c.Semantics)
	case c.Folds < 2:
		return usagef("--folds is %d, want 2 or more", c.Folds)
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
	if err := checkApart(written, append(read, namedFile{"MODEL", c.Model})); err != nil {
		return err
	}
	// The output may be the model itself, which it improves.
	return checkApart(append(written, namedFile{"--output", c.Output}), read)
}

// Run tunes, reports and writes the model.
func (c *tuneCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	if err := writable(c.Output, c.Report); err != nil {
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
			return tuneError(err)
		}
		defer func() { err = errors.Join(err, config.State.Close()) }()
	}
	report, err := tune.Run(a.ctx, set, config)
	if err != nil {
		return tuneError(err)
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

// tuneError makes a formula that cannot be compiled a mistake of the user.
func tuneError(err error) error {
	if formula := (*eval.PrepareError)(nil); errors.As(err, &formula) {
		return mistake(err)
	}
	return err
}

// write prints the report and writes its file.
func (c *tuneCmd) write(a *app, r *tune.Report) error {
	p := &printer{w: a.stdout}
	for _, t := range r.Tables() {
		p.table(t.Header, t.Rows)
		p.printf("\n")
	}
	tuned := 0
	for _, s := range r.Shapes {
		tuned += min(1, len(s.Tuned))
	}
	p.printf("%s\n\nwrote %s: %d of %d shapes have their own settings\n", r.Note(), c.Output, tuned, len(r.Shapes))
	if p.err != nil || c.Report == "" {
		return p.err
	}
	return atomicfile.Write(c.Report, func(w io.Writer) error {
		if strings.HasSuffix(c.Report, ".md") {
			return r.WriteMarkdown(w)
		}
		return writeJSON(w, r)
	})
}
