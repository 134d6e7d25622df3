package main

import (
	"context"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// holdoutShare is the part of the facts that is held out, mostHeldOut bounds their number,
	// and leastFacts is the size of a graph below which all facts are needed to learn from.
	holdoutShare = 0.1
	mostHeldOut  = 20_000
	leastFacts   = 2000
)

// holdOut takes facts out of the observed graph if there are none to validate by, and reports
// whether it did. The seed is always the same, so that a training that is resumed has the same
// facts.
func (c *trainCmd) holdOut(a *app, d *importer.Dataset) bool {
	all := len(d.Train)
	facts := 0
	switch {
	case len(d.Valid) > 0:
		if c.Holdout != nil && *c.Holdout > 0 {
			a.warnf("--holdout is not needed: the graph has a validation split")
		}
	case c.Holdout != nil:
		facts = int(*c.Holdout * float64(all))
	case c.NoCalibration:
	case all < leastFacts:
		a.notef("%d facts are too few to hold some out: settings are the usual ones, and answers have no confidence (--holdout 0.1 holds out a tenth all the same)", all)
	default:
		facts = min(mostHeldOut, int(holdoutShare*float64(all)))
	}
	if facts == 0 {
		return false
	}
	d.HoldOut(facts, 1)
	a.notef("held out %d of %d facts to choose the best epoch, settings and confidence by; the model's graph has them all (--holdout)", len(d.Valid), all)
	return len(d.Valid) > 0
}

// leastShare is the part of the queries of calibration that are asked however little time there is.
const leastShare = 0.1

// measureCalibration measures calibration on embeddings that are yet to be trained: it takes as
// long on those.
func (c *trainCmd) measureCalibration(a *app, d *importer.Dataset, o train.Options) error {
	if len(d.Valid) == 0 || c.NoCalibration {
		return nil
	}
	limit := time.Duration(measureShare * float64(c.Budget))
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	g, err := d.Graph(d.Train)
	if err != nil {
		return err
	}
	run, err := train.NewRun(g, o, train.Schedule{Epochs: 1, Every: 1}, nil, c.Threads)
	if err != nil {
		return err
	}
	p, err := run.Predictor()
	if err != nil {
		return err
	}
	m, err := d.Model(p, model.Manifest{Settings: model.DefaultSettings()})
	if err != nil {
		return err
	}
	options := c.calibration()
	options.Plans = plans
	a.bar.show("measure calibration", 0, 0)
	c.calibrating, err = calibrate.Measure(ctx, m, d.Valid, options)
	if c.unmeasured = err != nil && ctx.Err() != nil && a.ctx.Err() == nil; c.unmeasured {
		c.calibrating, err = calibrate.Cost{Fixed: calibrationShare * c.Budget.Seconds()}, nil
	}
	return err
}

// calibratedShare returns the largest share of the queries that calibration can use within the given
// seconds, but at least leastShare.
func (c *trainCmd) calibratedShare(seconds float64) float64 {
	if c.unmeasured {
		return leastShare
	}
	return max(leastShare, c.calibrating.Share(seconds))
}

// plannedShare returns the share of the queries that is planned for calibration.
func (c *trainCmd) plannedShare() float64 {
	if c.Budget == 0 {
		return 1
	}
	return c.calibratedShare(calibrationShare * c.Budget.Seconds())
}
