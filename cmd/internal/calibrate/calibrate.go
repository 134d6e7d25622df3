// Package calibrate fits a model to validation facts: the temperatures of its relations, the
// settings, the default semantics, and confidence. efoc calibrate, train and import share it. It
// knows models and facts, but neither files nor the command line.
package calibrate

import (
	"cmp"
	"context"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Options say what to set. The zero Options are good defaults.
type Options struct {
	// KeepTemperatures leaves the temperatures of relations as they are, Keep the settings of
	// these names.
	KeepTemperatures bool
	Keep             []string
	// NoConfidence leaves confidence out; ConfidenceOnly sets nothing else.
	NoConfidence, ConfidenceOnly bool
	// ConfidenceQueries is the number of queries of each benchmark shape that confidence is fitted to; 0
	// means 100, or as many as a minute or so is enough for.
	ConfidenceQueries int
	// Share is the part of the queries that are asked unless their number is given, in [0,1];
	// 0 means all. There are least numbers. Measure says how long a share takes.
	Share float64
	// Plans are generated plans, which answer the faster.
	Plans []*query.Plan
	// Queries is the number of queries of each shape that settings are chosen by; 0 means as
	// many as a minute or so is enough for.
	Queries int
	// Seed picks the validation queries.
	Seed uint64
	// Progress, if not nil, is told what is done and to be done of a stage.
	Progress func(stage string, done, total int)
}

// Run sets the temperatures of relations in the manifest of m, its settings and its default
// semantics, by facts that the observed graph lacks and that no evaluation uses: those of a
// validation split. Of these it draws queries; the same seed gives the same ones. The model
// must not have answered queries before: rows that it kept would be of other temperatures.
//
// Then it fits how confidence follows from evidence under these settings: see
// model.Calibration. For that it draws queries of the benchmark shapes, with the distribution of the
// published ones, and looks at the best answers of each that do not follow from the observed
// graph. What is true of them by the validation facts is the truth that weights, offsets and curve
// are fitted to. Queries with exchanged constants, most of which have no answer at all, and
// questions for facts of each relation count towards weights and offsets alone.
func Run(ctx context.Context, m *model.Model, valid []model.Triple, o Options) (*Choice, error) {
	if !o.KeepTemperatures && !o.ConfidenceOnly {
		factors, err := fit.Calibrate(ctx, m, valid, o.stage("temperatures"))
		if err != nil {
			return nil, err
		}
		m.Manifest.Temperatures = factors
	}
	c, err := chosen(ctx, m, valid, o)
	if err != nil {
		return nil, err
	}
	m.Manifest.Settings, m.Manifest.Semantics = c.Settings, c.Semantics
	m.Manifest.Confidence = nil // it was that of other settings
	if len(valid) >= enough && !o.NoConfidence {
		m.Manifest.Confidence, err = confidence(ctx, m, valid, o)
	}
	return c, err
}

// chosen chooses settings and semantics if there are facts enough.
func chosen(ctx context.Context, m *model.Model, valid []model.Triple, o Options) (*Choice, error) {
	if len(valid) < enough || o.ConfidenceOnly {
		return &Choice{Settings: m.Manifest.Settings, Semantics: m.Manifest.Semantics}, nil
	}
	set, err := draw(ctx, m, valid, cmp.Or(o.Queries, queriesFor(m, o)), o.Seed, o.stage("sample"))
	if err != nil {
		return nil, err
	}
	return choose(ctx, query.NewModel(m), set, o)
}

// stage returns the progress of a stage.
func (o Options) stage(name string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(name, done, total) }
}
