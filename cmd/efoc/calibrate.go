package main

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
)

type calibrateCmd struct {
	Model string `arg:"" name:"model.efoc" predictor:"model" help:"Model to calibrate."`
	Graph string `required:"" short:"g" placeholder:"FOLDER" predictor:"file" help:"The graph with its validation split, whose facts the model is calibrated by. Its test split is not looked at."`
	graphFlags
	Output string `short:"o" required:"" placeholder:"OUT.efoc" predictor:"model" help:"Model to write; it may be the same file."`
}

func (c *calibrateCmd) check() error {
	return cmp.Or(checkApart([]namedFile{{"--output", c.Output}}, []namedFile{{"--graph", c.Graph}}), writable(c.Output))
}

func (c *calibrateCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
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
	if err := calibrate.Run(a.ctx, m.Model.Model, s.Valid, calibrate.Options{Progress: a.bar.counts}); err != nil {
		return fmt.Errorf("%s: %w", c.Graph, err)
	}
	if err := model.Save(a.ctx, c.Output, m.Model.Model, func(done, total int64) { a.bar.show("write", done, total) }); err != nil {
		return err
	}
	return a.printf("wrote %s, calibrated by %d validation facts\n", c.Output, len(s.Valid))
}
