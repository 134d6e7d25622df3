// Package calibrate sets what a model knows of itself by validation facts: the
// temperatures of its relations, and what its scores mean. It is what efoc calibrate, train
// and import share. It knows models and facts; it knows no files and no command line.
package calibrate

import (
	"context"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
)

// Options say what to set. The zero Options are good defaults.
type Options struct {
	// KeepTemperatures leaves the temperatures of relations as they are.
	KeepTemperatures bool
	// Progress, if not nil, is told what is done and to be done of a stage.
	Progress func(stage string, done, total int)
}

// Run sets the temperatures of relations in the manifest of m, by facts that the observed
// graph lacks and that no evaluation uses: those of a validation split. The model must not
// have answered queries before: rows that it kept would be of other temperatures.
func Run(ctx context.Context, m *model.Model, valid []model.Triple, o Options) error {
	if !o.KeepTemperatures {
		factors, err := fit.Calibrate(ctx, m, valid, o.stage("temperatures"))
		if err != nil {
			return err
		}
		m.Manifest.Temperatures = factors
	}
	return nil
}

// stage returns the progress of a stage.
func (o Options) stage(name string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(name, done, total) }
}
