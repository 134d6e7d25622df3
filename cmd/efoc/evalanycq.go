package main

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/efoc/efoc/cmd/internal/anycq"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
)

// anycqFlags are those of AnyCQ's benchmarks.
type anycqFlags struct {
	Timeout time.Duration `group:"anycq" default:"30s" placeholder:"TIME" help:"Time for a question of AnyCQ's files, after which it is not answered (default: ${default})."`
	Accept  string        `group:"anycq" placeholder:"SCORE" help:"Score from which on an answer to AnyCQ's questions is accepted, to classify by a calibrated model the chance that it is true where half of the candidates are, as in the benchmark: a number, 0.5 if not given, as in its programs; or valid, the score of greatest F1 on the questions of the valid split beside."`
}

// checkAnyCQ reports flags that AnyCQ's benchmarks do not have.
func (c *evalCmd) checkAnyCQ() error {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--shape", len(c.Shape) > 0}, {"--filter strict", c.Filter != string(eval.Released)}, {"--graph", c.Graph != ""},
		{"--sweep", len(c.Sweep) > 0}, {"--no-pruning", c.NoPruning}, {"--published", c.Published != ""}, {"--resume", c.Resume != ""},
		{"--plot", c.Plot != ""}, {"--reliability-plot", c.ReliabilityPlot != ""},
	} {
		if f.given {
			return usagef("%s is not for AnyCQ's questions, which %s holds", f.name, c.Queries)
		}
	}
	if _, err := c.accept(); err != nil {
		return err
	}
	if c.Timeout <= 0 {
		return usagef("--timeout is %s, want more than 0", c.Timeout)
	}
	return nil
}

// accept reads --accept; 0 stands for valid.
func (c *evalCmd) accept() (float32, error) {
	if c.Accept == "valid" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(cmp.Or(c.Accept, "0.5"), 32)
	if err != nil || !(x > 0 && x <= 1) {
		return 0, usagef("--accept is %q, want a number above 0, up to 1, or valid", c.Accept)
	}
	return float32(x), nil
}

// anycq evaluates on AnyCQ's questions.
func (c *evalCmd) anycq(a *app, task anycq.Task) error {
	if err := c.checkAnyCQ(); err != nil {
		return err
	}
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	if c.Untuned {
		m.Manifest.Tuned = nil
	}
	semantics := c.choose("", m.Manifest.Semantics)
	if err := c.checkSemantics(semantics); err != nil {
		return err
	}
	prepare := compiler.PrepareOptions{Engine: compiler.Engine(c.Engine), Plans: plans, Semantics: &semantics}
	placed, err := m.place(c.deviceFlag, c.RowsMB, &prepare)
	if err != nil {
		return err
	}
	prepare.Settings = func(shape string) model.Settings { return c.applyDegrees(c.apply(m.Manifest.SettingsFor(shape))) }
	config := anycq.Config{Model: placed, Prepare: prepare, Timeout: c.Timeout}
	start := time.Now()
	accept, accepting, err := c.acceptance(a, config)
	if err != nil {
		return err
	}
	set, err := anycq.Open(a.ctx, c.Queries, c.Split, c.Limit)
	if err != nil {
		return err
	}
	config.Progress = a.bar.counter("evaluate")
	results, interrupted := anycq.Run(a.ctx, set, config)
	if interrupted != nil && (!errors.Is(interrupted, context.Canceled) || len(results) == 0) {
		return interrupted
	}
	r := anycq.Summarize(task, results, accept)
	r.Model, r.Questions, r.Semantics = eval.NewModelInfo(placed), c.Queries, prepare.Semantics.String()
	r.Model.File, r.Accepting, r.Timeout, r.Seconds = m.path, accepting, c.Timeout, time.Since(start).Seconds()
	p := a.printer()
	p.tables([]eval.Table{r.Table()})
	p.table(nil, r.Facts())
	p.printf("\nasked %d questions in %s\n", len(results), roundTime(r.Seconds))
	if err := cmp.Or(p.err, interrupted); err != nil {
		return err // a part of the figures must not replace a file that has all
	}
	return writeFiles(outputFile{c.JSON, jsonOf(r)})
}

// acceptance returns the scores from which on answers are accepted, and says where they are from.
func (c *evalCmd) acceptance(a *app, config anycq.Config) (accept anycq.Accept, how string, err error) {
	fixed, err := c.accept()
	if err != nil {
		return accept, "", err
	}
	if c.Accept != "valid" {
		return anycq.Accept{All: fixed}, "from a score of " + strconv.FormatFloat(float64(fixed), 'g', -1, 32) + " on", nil
	}
	path := anycq.Sibling(c.Queries, "valid")
	set, err := anycq.Open(a.ctx, path, "valid", c.Limit)
	if err != nil {
		return accept, "", err
	}
	config.Progress = a.bar.counter("choose by the valid split")
	results, err := anycq.Run(a.ctx, set, config)
	if err != nil {
		return accept, "", err
	}
	return anycq.FitAccept(results), "from the score of greatest F1 on the valid split on: " + path, nil
}
