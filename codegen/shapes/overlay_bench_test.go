package shapes

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkOverlay answers queries of FB15k-237, of whose facts some were added while the
// model was open: BenchmarkOverlay/<shape>. The graph is the same each time, and so are the
// answers. The models are asked turn by turn; ns/N is the median time of an answer where N facts
// lie over the stored ones.
func BenchmarkOverlay(b *testing.B) {
	g := graphs[0]
	queries := byShape(shared.Queries(b, shared.Dir(b, "data", g.name, "queries-dev.jsonl")), 20)
	full := openShared(b, g)
	counts := []int{0, 1, 1_000, 100_000}
	models := make([]*query.Model, len(counts))
	for i, count := range counts {
		models[i] = overlaid(b, full, count)
	}
	for _, shape := range []string{"1p", "2p", "2i", "pin", "3c"} {
		b.Run(shape, func(b *testing.B) {
			prepared := make([]*compiler.Prepared, len(models))
			for i, m := range models {
				prepared[i] = prepareShape(b, m, compiler.EngineCompiled, shape)
			}
			times := make([][]time.Duration, len(models))
			for n := 0; b.Loop(); n++ {
				for i, p := range prepared {
					bindings := bind(p, queries[shape][n%len(queries[shape])].Slots)
					start := time.Now()
					if _, err := p.Query.Answer(b.Context(), bindings, query.Options{K: 10}); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			for i, list := range times {
				slices.Sort(list)
				b.ReportMetric(float64(list[len(list)/2].Nanoseconds()), fmt.Sprintf("ns/%d", counts[i]))
			}
		})
	}
}

// overlaid returns a model of the same facts, so many of which have been added, a thousand
// at a time.
func overlaid(b *testing.B, full *query.Model, count int) *query.Model {
	b.Helper()
	var facts []model.Triple
	for r := range full.NumRelations() / 2 {
		heads, tails := full.Graph.Edges(model.RelationID(2 * r))
		for i, h := range heads {
			facts = append(facts, model.Triple{Head: model.EntityID(h), Relation: int32(r), Tail: model.EntityID(tails[i])})
		}
	}
	// In an order that is neither that of relations nor that of entities.
	place := func(t model.Triple) uint64 {
		return (uint64(t.Head)<<40 ^ uint64(t.Relation)<<20 ^ uint64(t.Tail)) * 0x9e3779b97f4a7c15
	}
	slices.SortFunc(facts, func(x, y model.Triple) int { return cmp.Compare(place(x), place(y)) })
	g, err := model.NewGraph(full.NumEntities(), full.NumRelations()/2, facts[count:])
	if err != nil {
		b.Fatal(err)
	}
	m, err := model.New(full.Manifest, g, nil, full.Predictor, full.Entities, full.Relations)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	q := query.NewModel(m)
	for batch := range slices.Chunk(facts[:count], 1000) {
		if _, err := q.Change(model.Change{Add: batch}); err != nil {
			b.Fatal(err)
		}
	}
	return q
}
