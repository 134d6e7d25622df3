// Package run runs plans where a model is: on the processor in main memory (Local), on a device (Device), or
// on the shards of a split model (Shards). It knows neither names nor answers.
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

// Runner runs one plan on one model, where that is. Runners are equal if they run the same plan at the same
// place.
type Runner interface {
	// Each runs the plan for each of batch, as many at a time as run together, and calls use once for
	// each that succeeds, possibly concurrently. The result is valid until use returns. Runs of a Member
	// join its group. After the first error it returns the index of the run that failed, or -1 if the
	// batch did as a whole.
	Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error)
	// Links looks at entities of the answer of a plan of truth degrees, or of a mixture.
	Links(ctx context.Context, b scq.Bindings, s model.Settings, entities []graph.EntityID) ([]plan.Link, error)
	// On returns the runner on a model with other facts, itself if its place has a copy.
	On(m plan.Host) Runner
}

// Want says which results a run has to deliver.
type Want struct {
	Settings model.Settings
	// Best is the number of best entities wanted; 0 means the scores of all.
	Best int
	// More says that further entities may be asked for, in the order of their scores.
	More bool
	// SetSize is the number of entities wanted of each fuzzy set, unless the scores of all are wanted.
	SetSize int
}

// whole reports whether all scores have to be there.
func (w *Want) whole() bool { return w.Best == 0 || w.More }

// Result holds the results of a run. It has a workspace if the plan ran in this process.
type Result struct {
	work          *plan.Workspace
	best, setSize int

	// Without a workspace, either all scores or the best ones.
	scores  plan.Vector
	sets    []plan.Vector
	ranking top.Ranking
}

// ErrElsewhere says that there is no workspace here.
var ErrElsewhere = errors.New("the plan runs on another device, which has no workspace")

// Workspace returns the workspace, with everything that the plan left there, nil without one.
func (r *Result) Workspace() *plan.Workspace { return r.work }

// Scores returns the scores of all entities, if they are wanted.
func (r *Result) Scores() plan.Vector {
	if r.work == nil {
		return r.scores
	}
	return r.work.Answer()
}

// Sets returns the fuzzy sets, if all scores are wanted.
func (r *Result) Sets() []plan.Vector {
	if r.work == nil {
		return r.sets
	}
	return r.work.Sets()
}

// Best returns the best entities that are wanted.
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

// Whole reports whether the scores of all entities are there, not of the best alone.
func (r *Result) Whole() bool {
	if r.work == nil {
		return r.scores != nil
	}
	return r.best == 0
}

// Err returns why the work that further entities took was given up.
func (r *Result) Err() error {
	if r.work == nil {
		return nil
	}
	return r.work.Err()
}
