package calibrate

import (
	"context"
	goruntime "runtime"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// drawAttempts bounds the attempts for a query: a small graph may have none of some shapes.
const drawAttempts = 500

// draw draws queries of the benchmark shapes, count of each at most, whose hard answers need
// a fact of the validation split. A shape that the graph has none of is left out.
func draw(ctx context.Context, m *model.Model, valid []graph.Triple, count int, seed uint64, progress func(done, total int)) (*queryset.Set, error) {
	full, _, _, err := m.Graph.With(valid, nil)
	if err != nil {
		return nil, err
	}
	s := sample.New(m.Graph, full, sample.Options{
		Count: count, Seed: seed, MaxAnswers: 100, MinHard: 1, Split: "valid", Budget: 1_000_000, Attempts: drawAttempts * count,
	})
	set := &queryset.Set{}
	for i, shape := range benchmark.Shapes {
		t, err := sample.NewShape(shape.Name)
		if err != nil {
			return nil, err
		}
		g := s.Group(t)
		drawn, err := s.Draw(ctx, t, goruntime.GOMAXPROCS(0), nil)
		if err != nil {
			return nil, err
		}
		g.Queries = drawn.Queries
		if len(g.Queries) > 0 {
			set.Groups = append(set.Groups, g)
		}
		progress(i+1, len(benchmark.Shapes))
	}
	return set, nil
}
