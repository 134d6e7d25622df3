package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

type calibrateCmd struct {
	Model string `arg:"" name:"model.efoc" in:"model" help:"Model to calibrate."`
	Graph string `short:"g" placeholder:"FOLDER" in:"" help:"The graph with the validation split to calibrate on. Its test split is not read. By default, the facts that the model holds back; they no longer test it then."`
	graphFlags
	Only  string `enum:",settings,confidence" default:"" placeholder:"settings|confidence" help:"settings: leave out confidence, so that answers only have scores. confidence: keep temperatures, settings and semantics as they are."`
	Limit int    `least:"1" placeholder:"N" help:"Number of queries per shape to fit confidence to: by default 100, or on large graphs as many as take about a minute."`

	missingFlag

	Output string `short:"o" required:"" placeholder:"OUT.efoc" out:"*" help:"Model to write; it may be the same file."`
}

func (c *calibrateCmd) Run(a *app) error {
	if err := writable(c.Output); err != nil {
		return err
	}
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	text, err := c.calibrate(a, m)
	if err != nil {
		return err
	}
	if len(c.Missing) > 0 {
		text, err = c.assume(m.Bundle(), text)
		if err != nil {
			return err
		}
	}
	if err := model.Save(a.ctx, c.Output, m.Bundle(), func(done, total int64) { a.bar.Show("write", done, total) }); err != nil {
		return err
	}
	return a.printf("%s\nwrote %s\n", text, c.Output)
}

// calibrate calibrates on the validation split of a graph or, unless only --missing is given, on the facts that the
// model holds back.
func (c *calibrateCmd) calibrate(a *app, m *openModel) (string, error) {
	if c.Graph == "" && len(c.Missing) > 0 {
		return "", nil
	}
	facts, err := c.facts(a, m)
	if err != nil {
		return "", err
	}
	return a.calibrate(a.ctx, m.Bundle(), facts, calibrate.Options{
		Seed: 1, ConfidenceQueries: c.Limit, NoConfidence: c.Only == "settings", ConfidenceOnly: c.Only == "confidence",
	})
}

// facts returns the facts to calibrate on.
func (c *calibrateCmd) facts(a *app, m *openModel) ([]graph.Triple, error) {
	if c.Graph == "" {
		used, unused := calibrate.HeldBack(m.Bundle())
		facts := slices.Concat(used, unused)
		if len(facts) == 0 {
			return nil, fmt.Errorf("the model holds no facts back to calibrate by: give a graph with a validation split (--graph), or train with --holdout 5%%")
		}
		return facts, nil
	}
	s, err := readSplits(a, c.Graph, c.graphFlags, m)
	if err != nil {
		return nil, err
	}
	if len(s.Valid) == 0 {
		return nil, fmt.Errorf("%s has no validation split to calibrate by", c.Graph)
	}
	return s.Valid, nil
}

// assume sets shares of missing facts, and describes them in the text.
func (c *calibrateCmd) assume(m *model.Model, text string) (string, error) {
	if len(m.Manifest.Confidence) == 0 {
		return "", errors.New("--missing needs a model with confidence: calibrate it on a validation split (--graph)")
	}
	if err := calibrate.Assume(m, c.shares()); err != nil {
		return "", usagef("%w", err)
	}
	if text != "" {
		text += "\n"
	}
	return text + missingText(m.Manifest.Missing), nil
}

// calibrate calibrates a model on validation facts, and describes the choices and the time taken.
func (a *app) calibrate(ctx context.Context, m *model.Model, valid []graph.Triple, o calibrate.Options) (string, error) {
	o.Progress = a.bar.Counts
	o.Plans = plans
	c, err := calibrate.Run(ctx, m, valid, o)
	if err != nil {
		return "", err
	}
	return c.Text, nil
}

// calibration returns the calibration options for a new model.
func (f *newSettingsFlags) calibration() calibrate.Options {
	o := calibrate.Options{Seed: 1, Missing: f.shares()}
	for x := range f.values {
		o.Keep = append(o.Keep, x.Name)
	}
	return o
}
