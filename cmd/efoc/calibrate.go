package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
)

type calibrateCmd struct {
	Model string `arg:"" name:"model.efoc" predictor:"model" help:"Model to calibrate."`
	Graph string `required:"" short:"g" placeholder:"FOLDER" predictor:"file" help:"The graph with its validation split, whose facts the model is calibrated by. Its test split is not looked at."`
	graphFlags
	Queries          int    `least:"1" default:"60" placeholder:"N" help:"Validation queries of each benchmark shape by which scores are judged (default: ${default})."`
	Seed             uint64 `default:"1" placeholder:"N" help:"Random seed of the queries (default: ${default})."`
	KeepTemperatures bool   `help:"Leave the temperatures of relations as they are."`
	NoConfidence     bool   `help:"Set temperatures alone."`

	Output string `short:"o" required:"" placeholder:"OUT.efoc" predictor:"model" help:"Model to write; it may be the same file."`
}

func (c *calibrateCmd) check() error {
	return cmp.Or(checkApart([]namedFile{{"--output", c.Output}}, []namedFile{{"--graph", c.Graph}}), writable(c.Output))
}

func (c *calibrateCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	start := time.Now()
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := readSplits(a, c.Graph, c.graphFlags, m)
	if err != nil {
		return err
	}
	if len(s.Valid) == 0 {
		return fmt.Errorf("%s has no validation split to calibrate by", c.Graph)
	}
	if err := calibrate.Run(a.ctx, m.Model.Model, s.Valid, calibrate.Options{
		KeepTemperatures: c.KeepTemperatures, NoConfidence: c.NoConfidence, Queries: c.Queries, Seed: c.Seed, Plans: plans, Progress: a.bar.counts,
	}); err != nil {
		return fmt.Errorf("%s: %w", c.Graph, err)
	}
	if err := model.Save(a.ctx, c.Output, m.Model.Model, func(done, total int64) { a.bar.show("write", done, total) }); err != nil {
		return err
	}
	return a.printf("wrote %s, calibrated by %d validation facts in %s\n", c.Output, len(s.Valid), roundTime(time.Since(start).Seconds()))
}
