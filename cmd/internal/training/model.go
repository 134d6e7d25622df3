package training

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/train"
)

// Model makes and calibrates the model, and ends the run.
func (j *Job) Model(ctx context.Context) (*model.Model, error) {
	d := j.Data
	p, err := j.run.Predictor()
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // of the run
	p.EntityTable, err = table.Make(p.EntityTable.Float32s(), p.EntityTable.Width(), j.Table, j.Exact)
	if err != nil {
		return nil, err
	}
	m, err := d.Model(p, j.Manifest)
	if err != nil {
		return nil, err
	}

	if len(d.Valid) > 0 && j.Calibration != nil {
		if err := j.calibrate(ctx, m); err != nil {
			return nil, j.Stopped(err)
		}
	}
	if j.heldOut {
		manifest := m.Manifest
		manifest.Sources = nil // the dataset has them
		d.PutBack()
		m, err = d.Model(p, manifest)
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// calibrate calibrates the model in the remaining time.
func (j *Job) calibrate(ctx context.Context, m *model.Model) error {
	o := *j.Calibration
	o.PutBack = j.heldOut
	if j.Budget > 0 {
		o.Share = j.calibratedShare((j.Budget - time.Since(j.Started)).Seconds())
		o.Until = j.calibratedUntil(time.Now())
	}
	c, err := calibrate.Run(ctx, m, j.Data.Valid, o)
	if err != nil {
		return err
	}
	j.Out.Note("%s", c.Text)
	return nil
}

// leastShare is the least share of calibration queries asked, even without enough time.
const leastShare = 0.1

// measureCalibration times calibration on untrained embeddings, which take as long.
func (j *Job) measureCalibration(ctx context.Context, o train.Options) error {
	d := j.Data
	if len(d.Valid) == 0 || j.Calibration == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(measureShare*float64(j.Budget)))
	defer cancel()
	o.Rank *= o.Members
	o.Members = 1
	run, err := train.NewRun(j.tests.graph, o, train.Schedule{Epochs: 1, Every: 1}, nil, j.Threads)
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

	j.Out.Progress("measure calibration", 0, 0)
	options := *j.Calibration
	options.Progress = nil
	j.cost, err = calibrate.Measure(limited, m, d.Valid, options)
	j.unmeasured = err != nil && limited.Err() != nil && ctx.Err() == nil
	if j.unmeasured {
		j.cost = calibrate.Cost{Fixed: calibrationShare * j.Budget.Seconds()}
		return nil
	}
	return err
}

// calibratedUntil returns the deadline for calibration that begins now: the end of the budget, but at least a tenth
// of the budget from now.
func (j *Job) calibratedUntil(now time.Time) time.Time {
	end := j.Started.Add(time.Duration((1 - writeShare) * float64(j.Budget)))
	least := now.Add(j.Budget / 10)
	if least.After(end) {
		return least
	}
	return end
}

// calibratedShare returns the largest share of the queries that calibration can use within the given seconds, but at
// least leastShare.
func (j *Job) calibratedShare(seconds float64) float64 {
	if j.unmeasured {
		return leastShare
	}
	return max(leastShare, j.cost.Share(seconds))
}

// plannedShare returns the planned share of calibration queries.
func (j *Job) plannedShare() float64 {
	if j.Budget == 0 {
		return 1
	}
	return j.calibratedShare(calibrationShare * j.Budget.Seconds())
}
