// Package calibrate sets what a model knows of itself by validation facts: the
// temperatures of its relations, and what its scores mean. It is what efoc calibrate, train
// and import share. It knows models and facts; it knows no files and no command line.
package calibrate

import (
	"context"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Options say what to set. The zero Options are good defaults.
type Options struct {
	// KeepTemperatures leaves the temperatures of relations as they are, NoConfidence what
	// scores mean.
	KeepTemperatures, NoConfidence bool
	// Queries is the number of validation queries of each benchmark shape by which scores
	// are judged; 0 means DefaultQueries.
	Queries int
	// Seed picks the queries.
	Seed uint64
	// Plans are generated plans, which answer the faster.
	Plans []*query.Plan
	// Progress, if not nil, is told what is done and to be done of a stage.
	Progress func(stage string, done, total int)
}

// DefaultQueries is the default of Options.Queries.
const DefaultQueries = 60

// Run sets the temperatures of relations in the manifest of m, and then what scores mean, by
// facts that the observed graph lacks and that no evaluation uses: those of a validation
// split. The model must not have answered queries before: rows that it kept would be of
// other temperatures.
//
// For the latter it draws validation queries of the benchmark shapes, with the distribution
// of the published ones, and looks at the best answers of each that do not follow from the
// observed graph. What is true of them by the validation facts gives a curve over scores, and
// one over the strength of the question's answer (see query.Workspace), that do not descend,
// for each family of shapes. Queries with exchanged constants, most of which have no answer
// at all, show what weak evidence is worth.
func Run(ctx context.Context, m *model.Model, valid []model.Triple, o Options) error {
	if !o.KeepTemperatures {
		factors, err := fit.Calibrate(ctx, m, valid, o.stage("temperatures"))
		if err != nil {
			return err
		}
		m.Manifest.Temperatures = factors
		m.Manifest.Confidence = nil // it was that of other scores
	}
	if o.NoConfidence {
		return nil
	}
	if o.Queries == 0 {
		o.Queries = DefaultQueries
	}
	c, err := confidence(ctx, m, valid, o)
	if err != nil {
		return err
	}
	m.Manifest.Confidence = c
	return nil
}

// stage returns the progress of a stage.
func (o Options) stage(name string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(name, done, total) }
}
