package shapes

import (
	"context"
	"fmt"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// batchSize is the size of the batches that are measured.
const batchSize = 64

// BenchmarkAnswer answers queries of every shape by every engine:
// BenchmarkAnswer/<graph>/<shape>/<engine>/<batch>. At batch 1 it is the first
// query of the shape, at batch 64 the first 64; time is per query. Bytes are those
// of the table passes that the plan makes at batch 1.
func BenchmarkAnswer(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			queries := byShape(shared.Queries(b, shared.Dir(b, "data", g.name, "queries-dev.jsonl")), batchSize)
			m := openShared(b, g)
			for _, s := range lang.Shapes {
				if len(queries[s.Name]) == 0 {
					continue
				}
				for _, engine := range []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterpreted, compiler.EngineLayers} {
					b.Run(s.Name+"/"+string(engine), func(b *testing.B) { benchmarkAnswer(b, m, engine, queries[s.Name]) })
				}
			}
		})
	}
}

func benchmarkAnswer(b *testing.B, m *query.Model, engine compiler.Engine, queries []shared.Query) {
	b.Run("1", func(b *testing.B) { answerEach(b, m, engine, queries[:1]) })
	if engine == compiler.EngineLayers {
		return // it shares no passes
	}
	b.Run(fmt.Sprint(batchSize), func(b *testing.B) {
		p := prepareShape(b, m, engine, queries[0].Type)
		batch := make([]scq.Bindings, batchSize)
		for i := range batch {
			batch[i] = bind(p, queries[i%len(queries)].Slots)
		}
		ignore := func(int, query.Vector, []query.Vector) error { return nil }
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, p.Query.ScoresBatch(context.Background(), batch, nil, ignore))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batchSize), "ns/query")
	})
}

// answerEach answers the queries, which have one shape, in turn.
func answerEach(b *testing.B, m *query.Model, engine compiler.Engine, queries []shared.Query) {
	b.Helper()
	p := prepareShape(b, m, engine, queries[0].Type)
	bindings := make([]scq.Bindings, len(queries))
	for i, q := range queries {
		bindings[i] = bind(p, q.Slots)
	}
	passes := p.Compiled.Optimized.Passes()
	if engine == compiler.EngineLayers {
		passes = p.Compiled.Lowered.Passes()
	}
	b.SetBytes(int64(passes) * int64(m.Predictor.EntityTable.Bytes()))
	b.ReportAllocs()
	ignore := func(query.Vector, []query.Vector) error { return nil }
	for i := 0; b.Loop(); i++ {
		require.NoError(b, p.Query.Scores(context.Background(), bindings[i%len(bindings)], nil, ignore))
	}
}

// byShape takes the first queries of each shape.
func byShape(all []shared.Query, limit int) map[string][]shared.Query {
	m := map[string][]shared.Query{}
	for _, q := range all {
		if len(m[q.Type]) < limit {
			m[q.Type] = append(m[q.Type], q)
		}
	}
	return m
}

// BenchmarkCompile turns every shape from text into a plan: parsing, disjunctive
// normal form, lowering and the passes.
func BenchmarkCompile(b *testing.B) {
	for _, s := range lang.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				shape, err := compiler.BenchmarkShape(s.Name)
				require.NoError(b, err)
				if _, err := compiler.Compile(shape, compiler.CompileOptions{Semantics: model.NSMP}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBind fills the slots of every shape, by names.
func BenchmarkBind(b *testing.B) {
	g := graphs[0]
	queries := byShape(shared.Queries(b, shared.Dir(b, "data", g.name, "queries-dev.jsonl")), 1)
	m := openShared(b, g)
	for _, s := range lang.Shapes {
		b.Run(s.Name, func(b *testing.B) {
			p := prepareShape(b, m, compiler.EngineCompiled, s.Name)
			args := map[string]string{}
			for _, param := range p.Source.Params {
				id := queries[s.Name][0].Slots[param.Name]
				if param.Kind == lang.EntityKind {
					args[param.Name] = m.Entities.Name(id)
					continue
				}
				args[param.Name] = m.Relations.Name(id / 2)
				if model.RelationID(id).IsInverse() {
					args[param.Name] += "^-1"
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Bindings(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
