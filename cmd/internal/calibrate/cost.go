package calibrate

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Cost is the duration of a calibration in seconds: Fixed, plus Queries for all queries, of
// which Options.Share takes a part.
type Cost struct{ Fixed, Queries float64 }

// Seconds returns the time with a share of the queries.
func (c Cost) Seconds(share float64) float64 { return c.Fixed + share*c.Queries }

// Share returns the share of the queries that fits into that many seconds.
func (c Cost) Share(seconds float64) float64 {
	if c.Queries == 0 {
		return 1
	}
	return max(0, min(1, (seconds-c.Fixed)/c.Queries))
}

// measuredFacts is the number of facts by which temperatures are measured.
const measuredFacts = 1000

// Measure calibrates a model with few queries, and with a few more, and extrapolates the time
// for all. Any embeddings will do. m does not change.
func Measure(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (Cost, error) {
	own := m.Manifest
	defer func() { m.Manifest = own }()
	var c Cost
	few := valid[:min(len(valid), measuredFacts)]
	for range 2 { // the first allocates memory
		start := time.Now()
		if _, err := fit.FitScoreTerms(ctx, m, few); err != nil {
			return c, err
		}
		fitted := time.Now()
		if _, err := fit.Calibrate(ctx, m, few, nil); err != nil {
			return c, err
		}
		c.Fixed = fitted.Sub(start).Seconds()*float64(fit.TermRows(m, 2*len(valid)))/float64(fit.TermRows(m, 2*len(few))) +
			time.Since(fitted).Seconds()*float64(len(valid))/float64(max(1, len(few)))
	}
	if len(valid) < model.LeastValidation {
		return c, nil
	}
	o.KeepTemperatures = true
	chosen := queriesFor(m, o)
	judged := confidenceQueriesFor(m, o)
	counts := map[string][3]int{"confidence": {2, 6, judged}} // of queries: few, a few more, all
	for _, stage := range []string{"sample", "settings", "semantics"} {
		counts[stage] = [3]int{min(5, max(1, chosen/4)), min(10, max(3, chosen/2)), chosen}
	}
	var took [2]map[string]float64
	for i := range took {
		o.Queries, o.ConfidenceQueries = counts["sample"][i], counts["confidence"][i]
		took[i] = map[string]float64{}
		stage := ""
		start := time.Now()
		next := func(name string) {
			if name != stage {
				took[i][stage] += time.Since(start).Seconds()
				stage, start = name, time.Now()
			}
		}
		o.Progress = func(name string, _, _ int) { next(name) }
		m.Manifest = own
		if _, err := Run(ctx, m, valid, o); err != nil {
			return c, err
		}
		next("")
	}
	for _, stage := range slices.Sorted(maps.Keys(counts)) {
		n := counts[stage]
		few := took[0][stage]
		more := took[1][stage]
		each := max(0, more-few) / float64(n[1]-n[0])
		c.Fixed += max(0, few-each*float64(n[0]))
		c.Queries += each * float64(n[2])
	}
	return c, nil
}

// Memory estimates the memory in bytes that a calibration with a share of the queries takes
// besides the model: rows of truth degrees, and the buffers of a batch. The factors are
// measured.
func Memory(entities int, share float64) int64 {
	n := int64(entities)
	together := min(1, max(leastConfidence, share*mostConfidence)/64)
	return min(fit.DefaultBudget, rowBytes*n) + min(mostBatchBytes, int64(together*batchVectors*4)*n)
}

const (
	// rowBytes is what the rows of an entity take that are asked for.
	rowBytes = 80 << 10
	// batchVectors is the number of vectors of all entities that a batch takes at its peak, with
	// the probabilities that truth degrees are mixed with and with garbage.
	batchVectors   = 10_700
	mostBatchBytes = 1280 << 20
)
