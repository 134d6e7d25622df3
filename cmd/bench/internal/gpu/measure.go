package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
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
	exact := model.TableType("") // beside codes, which a device does not have then
	if table == model.BFloat16 {
		table, exact = model.Int8, table
	}
	entities, err := model.MakeTable(numbers(g.entities*2*rank), 2*rank, table, exact)
	if err != nil {
		return nil, err
	}
	p := model.Predictor{Rank: rank, EntityTable: entities, RelationTable: numbers(2 * g.relations * 2 * rank)}
	return model.New(model.Manifest{Name: g.name, Visible: "all", Settings: model.DefaultSettings()}, graph, nil, p,
		model.NumberedNames("entity", g.entities), model.NumberedNames("relation", g.relations))
}

// planOf returns the kernels of a benchmark shape: those that were compiled ahead of time.
func planOf(shape string) (*device.Plan, error) {
	s, err := compiler.BenchmarkShape(shape)
	if err != nil {
		return nil, err
	}
	c, err := compiler.Compile(s, compiler.CompileOptions{Semantics: model.NSMP})
	if err != nil {
		return nil, err
	}
	return gpu.Kernels(c)
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
		if _, err := q.Top(ctx, bindings, host.Manifest.Settings, runtime.DefaultK, 0); err != nil {
			return 0, err
		}
		if run >= warmup {
			seconds = append(seconds, time.Since(start).Seconds())
		}
	}
	return trial.Median(seconds), nil
}

// kernel is what one kernel of a plan takes.
type kernel struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Seconds float64 `json:"seconds"`
	// Bytes is what a pass reads of the table, 0 for other kernels.
	Bytes float64 `json:"bytes,omitempty"`
}

// few and many are how often a kernel is repeated: the difference is what the repetitions
// take, without the launch of the graph and the copies.
const few, many = 10, 110

// kernels measures the kernels of a plan that answer one query, each on its own: the plan
// with that launch alone, repeated. What it reads was left by whatever ran before.
func kernels(ctx context.Context, m *device.Model, host *model.Model, p *device.Plan, runs int) ([]kernel, error) {
	var list []kernel
	for i, l := range p.Single.Launches {
		var seconds [2]float64
		for j, repeat := range []int{few, many} {
			one := *p
			one.Shape = fmt.Sprint(p.Shape, " launch ", i, " times ", repeat) // a plan of its own
			one.Single.Launches = slices.Repeat([]device.Launch{l}, repeat)
			var err error
			if seconds[j], err = times(ctx, m, host, &one, runs, 1); err != nil {
				return nil, err
			}
		}
		k := kernel{Name: l.Kernel, Kind: l.Kind.String(), Seconds: (seconds[1] - seconds[0]) / (many - few)}
		if l.Kind == device.Pass {
			k.Bytes = float64(tableBytes(&host.Predictor.EntityTable))
		}
		list = append(list, k)
	}
	return list, nil
}

// tableBytes returns the size of what a device holds of a table: its rows, or codes that stand alone.
func tableBytes(t *model.Table) int {
	if t.Type().IsFloat() {
		return t.RowBytes()
	}
	return t.Bytes()
}
