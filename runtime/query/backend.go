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
	top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]rank.Ranking, error)
	// scores hands the probabilities of all entities, and the fuzzy sets, of each query of a
	// batch to use, in order.
	scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error
	// links looks at entities of the answer of a plan of truth degrees, or of a mixture.
	links(ctx context.Context, b scq.Bindings, s model.Settings, entities []model.EntityID) ([]link, error)
	// noWorkspace says why nobody can look at what the plan leaves beside that.
	noWorkspace() error
}

// useScores takes the scores of query i of a batch.
type useScores func(i int, answer Vector, sets []Vector, find findLinks) error

// onDevice is a plan on a device. It finds no links: main memory has what that takes.
type onDevice struct{ *device.Query }

func (d onDevice) top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]rank.Ranking, error) {
	return d.Top(ctx, batch, s, k, setSize)
}

func (d onDevice) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error {
	return d.Scores(ctx, batch, s, func(i int, answer []float32, sets [][]float32) error { return use(i, answer, sets, nil) })
}

func (onDevice) links(context.Context, scq.Bindings, model.Settings, []model.EntityID) ([]link, error) {
	return nil, errNoWorkspace
}

func (onDevice) noWorkspace() error { return errNoWorkspace }
