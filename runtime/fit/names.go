package fit

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

type (
	// Cache computes and caches the rows of atoms.
	Cache = atoms.Cache
	// SweepName names a sweep by the content of its request.
	SweepName = atoms.SweepName
	// MemoryError reports that a run needed more memory than the budget of all runs.
	MemoryError = atoms.MemoryError
)

// DefaultBudget is the memory for cached rows and sweeps, in bytes.
const DefaultBudget = atoms.DefaultBudget

// NewCache returns an empty cache of the rows of a model, with the default budget. All queries on the model share
// one.
func NewCache(m *model.Model) *Cache { return atoms.NewCache(m) }

// Calibrate returns temperature factors for relations, see [atoms.Calibrate].
func Calibrate(ctx context.Context, m *model.Model, facts []graph.Triple, progress func(done, total int)) ([]float64, error) {
	return atoms.Calibrate(ctx, m, facts, progress)
}

// FitScoreTerms fits the weights of regularities, see [atoms.FitScoreTerms].
func FitScoreTerms(ctx context.Context, m *model.Model, facts []graph.Triple) (model.ScoreTerms, error) {
	return atoms.FitScoreTerms(ctx, m, facts)
}

// TermRows returns the number of rows, of the given ones, that FitScoreTerms reads.
func TermRows(m *model.Model, rows int) int { return atoms.TermRows(m, rows) }
