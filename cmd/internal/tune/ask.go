package tune

import (
	"context"
	"slices"
	"sync"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// useFunc is told the scores of query i of a batch under value k of the free
// setting. They are valid until it returns; it may be called from several goroutines
// at a time.
type useFunc = func(i, k int, scores query.Vector) error

// asker asks the queries of a group under the settings of a point, for all values of
// the free setting at once. at is the number of the batch.
type asker func(ctx context.Context, at int, batch []scq.Bindings, s model.Settings, free []float64, use useFunc) error

// newAsker prepares the formula of a group for the points of its shape.
func (s *subject) newAsker(g *queryset.Group, c Config) (asker, error) {
	if c.Semantics == model.NSMP {
		readouts := map[int]*eval.Readout{} // by layers
		for _, point := range s.points {
			if readouts[point.Layers] != nil {
				continue
			}
			p, err := prepare(g, c.Model, point, model.NSMP)
			if err != nil {
				return nil, err
			}
			if readouts[point.Layers], err = eval.NewReadout(p); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, _ int, batch []scq.Bindings, s model.Settings, lambdas []float64, use useFunc) error {
			return readouts[s.Layers].Scores(ctx, batch, s, lambdas, use)
		}, nil
	}
	p, err := prepare(g, c.Model, s.base, model.FIT)
	if err != nil {
		return nil, err
	}
	if c.Semantics == model.FIT {
		return func(ctx context.Context, _ int, batch []scq.Bindings, s model.Settings, _ []float64, use useFunc) error {
			return p.Query.ScoresBatch(ctx, batch, &s, func(i int, answer query.Vector, _ []query.Vector) error { return use(i, 0, answer) })
		}, nil
	}
	messages, err := prepare(g, c.Model, s.base, model.NSMP)
	if err != nil {
		return nil, err
	}
	a := &mixedAsker{degrees: p.Query, messages: messages.Query, settings: s.base, kept: map[int][]query.Vector{}}
	return a.ask, nil
}

// prepare compiles a group's formula.
func prepare(g *queryset.Group, m *query.Model, s model.Settings, semantics model.Semantics) (*compiler.Prepared, error) {
	p, err := compiler.Prepare(m, g.Template, compiler.PrepareOptions{
		Semantics: new(semantics), Settings: func(string) model.Settings { return s },
	})
	if err != nil {
		return nil, &eval.PrepareError{Group: g.Name, Err: err}
	}
	return p, nil
}

// keptBytes bounds the probabilities of message passing that are kept from one point
// of a group to the next; others are computed again.
const keptBytes = 512 << 20

// mixedAsker mixes truth degrees with message passing, whose settings are the same
// for all points. The weight g is free.
type mixedAsker struct {
	degrees  *query.Query
	messages *query.Query
	settings model.Settings
	kept     map[int][]query.Vector // by batch, as logarithms
	bytes    int
}

func (a *mixedAsker) ask(ctx context.Context, at int, batch []scq.Bindings, s model.Settings, mixtures []float64, use useFunc) error {
	messages, err := a.probabilities(ctx, at, batch)
	if err != nil {
		return err
	}
	n := a.messages.Model().NumEntities()
	rooms := sync.Pool{New: func() any { return &[2]query.Vector{make(query.Vector, n), make(query.Vector, n)} }}
	return a.degrees.ScoresBatch(ctx, batch, &s, func(i int, scores query.Vector, _ []query.Vector) error {
		room := rooms.Get().(*[2]query.Vector)
		defer rooms.Put(room)
		copy(room[0], scores)
		fit.LogDegrees(room[0])
		for k, g := range mixtures {
			fit.MixLogs(room[1], messages[i], room[0], g)
			if err := use(i, k, room[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// probabilities returns what message passing answers to a batch.
func (a *mixedAsker) probabilities(ctx context.Context, at int, batch []scq.Bindings) ([]query.Vector, error) {
	if known := a.kept[at]; known != nil {
		return known, nil
	}
	list := make([]query.Vector, len(batch))
	err := a.messages.ScoresBatch(ctx, batch, &a.settings, func(i int, answer query.Vector, _ []query.Vector) error {
		list[i] = slices.Clone(answer)
		fit.LogProbabilities(list[i])
		return nil
	})
	if size := 4 * len(batch) * a.messages.Model().NumEntities(); err == nil && a.bytes+size <= keptBytes {
		a.kept[at], a.bytes = list, a.bytes+size
	}
	return list, err
}
