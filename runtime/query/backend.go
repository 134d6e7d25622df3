package query

import (
	"context"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// backend answers by a plan in the place of this process's processor and memory: on a
// device, or on the shards of a split model.
type backend interface {
	// top returns the best entities of the answer and of each fuzzy set, for each query of
	// a batch.
	top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]topResult, error)
	// scores hands the probabilities of all entities, and the fuzzy sets, of each query of a
	// batch to use, in order.
	scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error
	// links looks at entities of the answer of a plan of truth degrees, or of a mixture.
	links(ctx context.Context, b scq.Bindings, s model.Settings, entities []model.EntityID) ([]link, error)
	// noWorkspace says why nobody can look at what the plan leaves beside that.
	noWorkspace() error
}

// useScores takes the scores of query i of a batch.
type useScores func(i int, answer Vector, sets []Vector, left evidence) error

// topResult is what is found for a query, and what the plan leaves beside it.
type topResult struct {
	rank.Ranking
	left evidence
}

// onDevice is a plan on a device. It leaves no evidence: main memory has that.
type onDevice struct{ *device.Query }

func (d onDevice) top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]topResult, error) {
	rankings, err := d.Top(ctx, batch, s, k, setSize)
	if err != nil {
		return nil, err
	}
	list := make([]topResult, len(rankings))
	for i, r := range rankings {
		list[i] = topResult{r, evidence{}}
	}
	return list, nil
}

func (d onDevice) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error {
	return d.Scores(ctx, batch, s, func(i int, answer []float32, sets [][]float32) error { return use(i, answer, sets, evidence{}) })
}

func (onDevice) links(context.Context, scq.Bindings, model.Settings, []model.EntityID) ([]link, error) {
	return nil, errNoWorkspace
}

func (onDevice) noWorkspace() error { return errNoWorkspace }
