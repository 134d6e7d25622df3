package shapes

import (
	"context"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/shared"
)

// BenchmarkAnswer answers one query of every shape by every engine at batch 1:
// BenchmarkAnswer/<graph>/<shape>/<engine>. The first golden query of the shape
// is used. Bytes are those of the table passes that the plan makes.
func BenchmarkAnswer(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			golden := shared.Goldens(b, shared.Dir(b, "data", "golden", g.name+".json"))
			m := openShared(b, g)
			for _, s := range lang.Shapes {
				q, ok := firstOf(golden, s.Name)
				if !ok {
					continue
				}
				for _, engine := range []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterp, compiler.EngineLayers} {
					b.Run(s.Name+"/"+string(engine), func(b *testing.B) { benchmarkAnswer(b, m, engine, q) })
				}
			}
		})
	}
}

func firstOf(golden []shared.Golden, shape string) (shared.Golden, bool) {
	for _, g := range golden {
		if g.Type == shape {
			return g, true
		}
	}
	return shared.Golden{}, false
}

func benchmarkAnswer(b *testing.B, m *runtime.Model, engine compiler.Engine, want shared.Golden) {
	b.Helper()
	p, bindings := prepare(b, m, engine, want)
	passes := p.Compiled.Plan.Passes()
	if engine == compiler.EngineLayers {
		passes = p.Compiled.Naive.Passes()
	}
	b.SetBytes(int64(passes) * int64(m.Predictor.EntityTable.Bytes()))
	b.ReportAllocs()
	ignore := func(runtime.Vector, []runtime.Vector) error { return nil }
	for b.Loop() {
		if err := p.Query.Scores(context.Background(), bindings, nil, ignore); err != nil {
			b.Fatal(err)
		}
	}
}
