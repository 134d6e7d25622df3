package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/model"
)

type tuneCmd struct {
	Model   string   `arg:"" name:"model.efoc" in:"model" predictor:"model" help:"Model to tune."`
	Queries string   `arg:"" in:"" predictor:"file" help:"Validation queries with their answers: a BetaE or FIT folder, a FIT file, or JSON Lines. Test queries are refused."`
	Split   string   `default:"valid" placeholder:"NAME" help:"Split of the queries, where there are several (default: ${default})."`
	Shape   []string `placeholder:"SHAPES" predictor:"shape" help:"Shapes to tune, such as 2p,3p; all that there are queries of if not given."`
	Limit   int      `least:"1" placeholder:"N" help:"Number of queries of each shape; all if not given."`

	Semantics model.Semantics `enum:"nsmp,fit,mixed" default:"nsmp" help:"Whose settings to tune: nsmp, λ, α, w and L of message passing; fit, K, ν, θ, τ and φ of truth degrees; mixed, these and g, with message passing as it was tuned before."`
	Folds     int             `least:"2" default:"5" help:"Number of parts of the queries, each of which judges settings that were chosen by the others (default: ${default})."`

	tuneGridFlags

	Output string `short:"o" required:"" placeholder:"OUT.efoc" out:"*" predictor:"model" help:"Model to write, with the settings in it; it may be the same file."`
	Report string `placeholder:"FILE" out:"*" predictor:"file" help:"Write the report: as Markdown if the name ends in .md, as JSON if in .json."`
	Resume string `placeholder:"STATE.jsonl" out:"*" predictor:"file" help:"Keep the results in this file, and go on from those that it holds."`
}

func (c *tuneCmd) check() error {
	switch {
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
	return writable(c.Output, c.Report)
}

func (c *tuneCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	grid, err := c.grid(c.Semantics)
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
	if slices.Contains(set.Splits(), "test") {
		return usagef("%s: there are queries of the test split, and settings that are tuned on them make their evaluation worthless: tune on validation queries", c.Queries)
	}
	config := tune.Config{Model: m.Model, Semantics: c.Semantics, Grid: grid, Folds: c.Folds}
	config.Progress = a.bar.counter("tune")
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
	if m.Manifest.Confidence != nil {
		m.Manifest.Confidence = nil // it was that of other scores
		a.notef("note: with other settings scores mean something else: efoc calibrate says what")
	}
	if err := model.Save(a.ctx, c.Output, m.Model.Model, func(done, total int64) { a.bar.show("write", done, total) }); err != nil {
		return err
	}
	return c.write(a, report)
}

func (c *tuneCmd) write(a *app, r *tune.Report) error {
	p := a.printer()
	p.tables(r.Tables())
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

// tuneGridFlags are the values to choose settings from.
type tuneGridFlags struct {
	Lambda []float64 `group:"settings" placeholder:"VALUES" help:"Values of λ to choose from; a good choice if not given, as with the following. The model's own are among them."`
	Alpha  []float64 `group:"settings" placeholder:"VALUES" help:"Values of α."`
	Weight []float64 `group:"settings" placeholder:"VALUES" help:"Values of w."`
	Layers []string  `group:"settings" placeholder:"VALUES" help:"Values of L, such as D+1,D+2, D being the number of a shape's variables; D+1 if not given, and D for shapes with a cycle."`

	Candidates  []int     `group:"degrees" placeholder:"VALUES" help:"Values of K, the number of best entities of a variable whose links are predicted. The least wins that is not certainly worse."`
	Negation    []float64 `group:"degrees" placeholder:"VALUES" help:"Values of ν, the factor of a degree that is negated."`
	Threshold   []float64 `group:"degrees" placeholder:"VALUES" help:"Values of θ, the degree below which a predicted link counts as none."`
	Temperature []float64 `group:"degrees" placeholder:"VALUES" help:"Values of τ, the divisor of the link predictor's scores before their softmax."`
	Leaf        []float64 `group:"degrees" placeholder:"VALUES" help:"Values of φ, the degree of a link of unknown head where none is observed."`
	Mixture     []float64 `group:"degrees" placeholder:"VALUES" help:"Values of g, the weight of truth degrees in the mixture."`
}

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
		g.Over, g.Cycles = nil, nil
		for _, text := range c.Layers {
			over, ok := overVariables(text)
			if !ok {
				return g, usagef("--layers: want values such as D+1, got %q", text)
			}
			g.Over = append(g.Over, over)
		}
	}
	return g, outOfRange(g.Validate(s))
}
