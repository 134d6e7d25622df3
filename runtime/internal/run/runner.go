// Package run runs plans on the model's host: on the processor in main memory (Local), on a device (Device), or on
// the shards of a split model (Shards). It knows neither names nor answers.
package run

import (
	"context"
	"errors"
	"iter"

	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Runner runs one plan on one model. Runners are equal if they run the same plan on the same host.
type Runner interface {
	// Each runs the plan for each query of batch, several at a time, and calls use once for each success, possibly
	// concurrently. The result is valid until use returns. Runs of a Member join its group. After the first error
	// Each returns the index of the run that failed, or -1 if the batch as a whole failed.
	Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error)
	// Links returns the links of entities in the answer of a plan of truth degrees, or of a mixture.
	Links(ctx context.Context, b scq.Bindings, s model.Settings, entities []graph.EntityID) ([]plan.Link, error)
	// On returns the runner on a model with other facts, itself if its host has its own facts.
	On(m plan.Host) Runner
}

// Want says which results a run must deliver.
type Want struct {
	Settings model.Settings
	// Best is the number of best entities; 0 means the scores of all.
	Best int
	// More says that the caller may request further entities, in the order of their scores.
	More bool
	// SetSize is the number of entities of each fuzzy set, unless the scores of all are wanted.
	SetSize int
}

// whole reports whether the run must deliver all scores.
func (w *Want) whole() bool { return w.Best == 0 || w.More }

// Result holds the results of a run, with a workspace if the plan ran in this process.
type Result struct {
	work          *plan.Workspace
	best, setSize int

	// Without a workspace, either all scores or the best ones.
	scores  plan.Vector
	sets    []plan.Vector
	ranking top.Ranking
}

// ErrElsewhere reports that there is no workspace here.
var ErrElsewhere = errors.New("the plan runs on another device, which has no workspace")

// Workspace returns the workspace with all results of the plan, nil without one.
func (r *Result) Workspace() *plan.Workspace { return r.work }

// Scores returns the scores of all entities, if requested.
func (r *Result) Scores() plan.Vector {
	if r.work == nil {
		return r.scores
	}
	return r.work.Answer()
}

// Sets returns the fuzzy sets, if all scores were requested.
func (r *Result) Sets() []plan.Vector {
	if r.work == nil {
		return r.sets
	}
	return r.work.Sets()
}

// Best returns the requested best entities.
func (r *Result) Best() top.Ranking {
	if r.work == nil {
		return r.ranking
	}
	return r.work.Best(r.best, r.setSize)
}

// Descending yields all entities, best first. Check Err after it.
func (r *Result) Descending(ctx context.Context) iter.Seq[top.Ranked] {
	if r.work == nil {
		return top.Descending(r.scores)
	}
	return r.work.Descending(ctx)
}

// Whole reports whether the result has the scores of all entities, not only of the best.
func (r *Result) Whole() bool {
	if r.work == nil {
		return r.scores != nil
	}
	return r.best == 0
}

// Err returns the error that ended the computation of further entities.
func (r *Result) Err() error {
	if r.work == nil {
		return nil
	}
	return r.work.Err()
}
