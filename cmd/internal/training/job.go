package training

import (
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/train"
)

// Job trains a link predictor on a dataset and makes a model of it: Begin, Train, Model.
type Job struct {
	Config
	// Report describes the training, from Begin on.
	Report *Report

	tests      tests
	run        *train.Run
	epoch      float64 // the time of an epoch in seconds; 0 if unknown
	lower      bool    // there is too little time for a higher rank or more negatives
	heldOut    bool
	cost       calibrate.Cost
	unmeasured bool // the cost of calibration is unmeasured, because the budget is too short
}

// Config configures a job.
type Config struct {
	// Data is the dataset. Held-out facts leave its observed graph until the model is calibrated.
	Data *importer.Dataset
	// Given are the user's settings.
	Given Given
	// Started is the start of the budget, and Budget the time for everything; 0 means no limit.
	Started time.Time
	Budget  time.Duration
	Threads int
	// Checkpoint is the file of the checkpoint. Resume continues from it, Restart ignores it.
	Checkpoint      string
	Resume, Restart bool
	// Calibration configures calibration; nil disables it.
	Calibration *calibrate.Options
	// Manifest has the description, the type relation and the settings of the model.
	Manifest model.Manifest
	// Table is the type of the entity table, and Exact the type of the exact rows besides codes.
	Table, Exact table.Type
	// Out receives messages and progress.
	Out Output
}

// Output receives the messages and the progress of a job.
type Output struct {
	Note, Warn func(format string, args ...any)
	// Progress receives the progress of a stage; total is 0 if unknown.
	Progress func(stage string, done, total int)
	// Step is called after each step of the run.
	Step func(run *train.Run)
}

// progress returns a function that receives the progress of a stage.
func (o *Output) progress(stage string) func(done, total int) {
	return func(done, total int) { o.Progress(stage, done, total) }
}

// UsageError is an error that other settings avoid.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// tests are the facts for evaluation, nil without any, and the graph to learn.
type tests struct {
	valid, test *train.Test
	graph       *graph.Graph
}

// ranks counts the rankings that evaluation performs.
func (t tests) ranks() (ranks int) {
	for _, test := range []*train.Test{t.valid, t.test} {
		if test != nil {
			ranks += 2 * test.Facts()
		}
	}
	return ranks
}

// validRanks counts the rankings of a validation during the training.
func (t tests) validRanks() int {
	if t.valid == nil {
		return 0
	}
	return 2 * min(validFacts, t.valid.Facts())
}

// validFacts bounds the facts of a validation.
const validFacts = 5000
