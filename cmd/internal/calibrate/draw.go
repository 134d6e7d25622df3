package calibrate

import (
	"context"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
)

// drawAttempts bounds the attempts for a query: a small graph may have none of some shapes.
const drawAttempts = 500

// draw draws queries of the benchmark shapes, count of each at most, whose hard answers need
// a fact of the validation split. A shape that the graph has none of is left out.
func draw(ctx context.Context, m *model.Model, valid []model.Triple, count int, seed uint64, progress func(done, total int)) (*queryset.Set, error) {
	added, err := model.NewGraph(m.NumEntities(), m.NumRelations()/2, valid)
	if err != nil {
		return nil, err
	}
	full, err := exact.Union(m.Graph, added)
	if err != nil {
		return nil, err
	}
	s := sample.New(m.Graph, full, sample.Options{
		Count: count, Seed: seed, MaxAnswers: 100, MinHard: 1, Split: "valid", Budget: 1_000_000, Attempts: drawAttempts * count,
	})
	set := &queryset.Set{}
	for i, shape := range lang.Shapes {
		t, err := sample.NewShape(shape.Name)
		if err != nil {
			return nil, err
		}
		g, err := s.Group(t)
		if err != nil {
			return nil, err
		}
		g.Queries = slices.Grow(g.Queries, count)
		each := func(q queryset.Query) { g.Queries = append(g.Queries, q) }
		if err := s.Run(ctx, t, &sample.State{Name: t.Name}, goruntime.GOMAXPROCS(0), each, func() error { return nil }); err != nil {
			return nil, err
		}
		if len(g.Queries) > 0 {
			set.Groups = append(set.Groups, g)
		}
		if progress != nil {
			progress(i+1, len(lang.Shapes))
		}
	}
	return set, nil
}
