package shapes

import (
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkCodes answers queries from float32 rows, and from codes with those rows beside
// them: BenchmarkCodes/<graph>/<shape>/<table>.
func BenchmarkCodes(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			queries := byShape(shared.Queries(b, shared.Dir(b, "data", g.name, "queries-dev.jsonl")), 20)
			m := openShared(b, g)
			models := map[model.TableType]*query.Model{model.Float32: m}
			for _, codes := range []model.TableType{model.Int8, model.Int4} {
				p := m.Predictor
				var err error
				if p.EntityTable, err = p.EntityTable.WithCodes(codes); err != nil {
					b.Fatal(err)
				}
				coded, err := model.New(m.Manifest, m.Graph, m.Heldout, p, m.Entities, m.Relations)
				if err != nil {
					b.Fatal(err)
				}
				models[codes] = query.NewModel(coded)
			}
			for _, shape := range []string{"1p", "2p", "2i", "3c"} {
				if len(queries[shape]) == 0 {
					continue
				}
				for _, table := range []model.TableType{model.Float32, model.Int8, model.Int4} {
					b.Run(shape+"/"+string(table), func(b *testing.B) { answerEach(b, models[table], compiler.EngineCompiled, queries[shape]) })
				}
			}
		})
	}
}
