package runtime

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// executor runs a plan on a model, here or elsewhere. It knows no names: queries that differ in
// those alone have equal executors, and are answered in one batch.
type executor struct {
	model  *Model
	plan   *plan.Plan
	local  plan.Executor // on the processor, in this process's memory
	remote backend       // in its place, if not nil
}

// newExecutor returns an executor that runs a plan where the model is.
func newExecutor(m *Model, p *plan.Plan) (executor, error) {
	x := executor{model: m.host(), plan: p}
	switch {
	case m.device != nil:
		if p.Kernels == nil {
			return x, fmt.Errorf("shape %s has no kernels for a device: generate its file again with efoc generate --cuda, or bind the query to a model in main memory", p.Shape)
		}
		q, err := m.device.Query(p.Kernels)
		x.remote = onDevice{q}
		return x, err
	case m.shards != nil:
		x.remote = onShards{m.shards, p}
	default:
		x.local = plan.NewExecutor(m.local(), p)
	}
	return x, nil
}

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
	links(ctx context.Context, b scq.Bindings, s model.Settings, entities []model.EntityID) ([]plan.Link, error)
	// noWorkspace says why the rest of a plan's results cannot be looked at.
	noWorkspace() error
}

// useScores takes the scores of query i of a batch.
type useScores func(i int, answer plan.Vector, sets []plan.Vector, find linkFinder) error

// onDevice is a plan on a device. It finds no links: main memory has what that takes.
type onDevice struct{ *device.Query }

func (d onDevice) top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]rank.Ranking, error) {
	return d.Top(ctx, batch, s, k, setSize)
}

func (d onDevice) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error {
	return d.Scores(ctx, batch, s, func(i int, answer []float32, sets [][]float32) error { return use(i, answer, sets, nil) })
}

func (onDevice) links(context.Context, scq.Bindings, model.Settings, []model.EntityID) ([]plan.Link, error) {
	return nil, errNoWorkspace
}

func (onDevice) noWorkspace() error { return errNoWorkspace }
