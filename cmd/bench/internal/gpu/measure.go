package gpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// synthetic makes a model with random numbers and facts.
func synthetic(g sizes, rank int, table model.TableType) (*model.Model, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = (rng.Float32() - 0.5) * 0.5
		}
		return x
	}
	// Few entities have many facts, as in real graphs.
	entity := func() model.EntityID {
		return model.EntityID(float64(g.entities) * rng.Float64() * rng.Float64() * rng.Float64())
	}
	triples := make([]model.Triple, g.triples)
	for i := range triples {
		triples[i] = model.Triple{Head: entity(), Relation: int32(rng.IntN(g.relations)), Tail: entity()}
	}
	graph, err := model.NewGraph(g.entities, g.relations, triples)
	if err != nil {
		return nil, err
	}
	entities, err := model.NewTable(numbers(g.entities*2*rank), 2*rank, table)
	if err != nil {
		return nil, err
	}
	p := model.Predictor{Rank: rank, EntityTable: entities, RelationTable: numbers(2 * g.relations * 2 * rank)}
	return model.New(model.Manifest{Name: g.name, Visible: "all", Settings: model.DefaultSettings()}, graph, nil, p,
		model.NumberedNames("entity", g.entities), model.NumberedNames("relation", g.relations))
}

// answer returns the median of the seconds that a batch of queries of a shape takes.
func answer(ctx context.Context, m *device.Model, host *model.Model, shape string, runs, batch int) (float64, error) {
	s, err := compiler.BenchmarkShape(shape)
	if err != nil {
		return 0, err
	}
	c, err := compiler.Compile(s, compiler.CompileOptions{})
	if err != nil {
		return 0, err
	}
	p, err := cugen.Plan(c)
	if err != nil {
		return 0, err
	}
	return times(ctx, m, host, p, runs, batch)
}

// warmup is how often a plan runs before it is timed.
const warmup = 5

// times returns the median of the seconds that a batch takes.
func times(ctx context.Context, m *device.Model, host *model.Model, p *device.Plan, runs, batch int) (float64, error) {
	q, err := m.Query(p)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var seconds []float64
	for run := range warmup + runs {
		bindings := make([]scq.Bindings, batch)
		for i := range bindings {
			for range p.Constants {
				bindings[i].Constants = append(bindings[i].Constants, model.EntityID(rng.IntN(host.NumEntities())))
			}
			for range p.Relations {
				bindings[i].Relations = append(bindings[i].Relations, model.RelationID(rng.IntN(host.NumRelations())))
			}
		}
		start := time.Now()
		if _, err := q.Top(ctx, bindings, host.Manifest.Settings, query.DefaultK, 0); err != nil {
			return 0, err
		}
		if run >= warmup {
			seconds = append(seconds, time.Since(start).Seconds())
		}
	}
	return trial.Median(seconds), nil
}

// onePass is a plan that scores one embedding.
const onePass = `layers 1
constants 1
relations 1
v0:emb = entity s1
v1:emb = project v0 r1
v2:vec = score v1 @1
v3:vec = softmax v2
answer v3
`

// copyKernel copies the table to a plan's vectors.
const copyKernel = `
extern "C" __global__ void efoc_copy_f32(const Model *m, const Run *q, long long) {
  const float4 *from = (const float4 *)m->entities;
  float4 *to = (float4 *)q->vectors;
  const long long n = m->n * m->stride / 4;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) to[i] = from[i];
}
`

// bandwidths returns the bytes a second that passes over a float32 table read, and
// those that a copy of it reads and writes. Each is the difference between plans that
// make few of them and many.
func bandwidths(ctx context.Context, m *device.Model, host *model.Model) (pass, copied float64, err error) {
	const few, many = 10, 110
	plan, err := ir.Parse(onePass)
	if err != nil {
		return 0, 0, err
	}
	bytes := float64(host.Predictor.EntityTable.Bytes())
	measure := func(name string, launch func(p *device.Plan) device.Launch) (float64, error) {
		var seconds [2]float64
		for i, repeat := range []int{few, many} {
			p, err := cugen.Kernels(plan, "efoc_"+name)
			if err != nil {
				return 0, err
			}
			p.Shape = strings.Repeat(name, i+1) // plans of their own
			p.Text += copyKernel
			l := launch(p)
			p.Single.Launches = slices.Repeat([]device.Launch{l}, repeat)
			if seconds[i], err = times(ctx, m, host, p, 20, 1); err != nil {
				return 0, err
			}
		}
		return bytes * (many - few) / (seconds[1] - seconds[0]), nil
	}
	pass, err = measure("pass", func(p *device.Plan) device.Launch {
		return p.Single.Launches[slices.IndexFunc(p.Single.Launches, func(l device.Launch) bool { return l.Kind == device.Pass })]
	})
	if err != nil {
		return 0, 0, err
	}
	copied, err = measure("copy", func(p *device.Plan) device.Launch {
		p.Single.Vectors += 2*host.Predictor.Rank + 4
		return device.Launch{Kernel: "efoc_copy", Kind: device.Pass}
	})
	return pass, 2 * copied, err
}
