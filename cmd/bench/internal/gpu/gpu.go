// Package gpu measures the plans on a GPU, on synthetic models of the size of FB15k-237
// and NELL995 at rank 1000, and prints the figures as Markdown:
//
//	go run -tags cuda cmd/bench/main.go gpu
//
// Times are from ids on the host to the ten best answers on the host.
package gpu

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
)

// Command is the command line.
type Command struct {
	Rank  cli.Count `default:"1000" help:"Rank of the models."`
	Runs  cli.Count `default:"200" help:"Queries of each shape that are timed."`
	Batch cli.Count `default:"256" help:"Queries in a batch."`
	Scale cli.Count `default:"1" help:"Divides the sizes of the models, for a trial."`
}

// sizes of the graphs: entities, relations, triples of the observed graph.
type sizes struct {
	name                         string
	entities, relations, triples int
	seconds                      float64 // that are aimed at, for the mean of the ten shapes
	paper                        string
}

var graphs = []sizes{
	{"FB15k-237's size", 14505, 237, 272115, 0.25e-3, "21.4 ms"},
	{"NELL995's size", 63361, 200, 114213, 0.7e-3, "52.9 ms"},
}

// Run measures everything.
func (c *Command) Run(ctx context.Context, out *cli.Output) error {
	d, err := nvidia.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	b := &bench{c, d, out}
	b.print("%s, rank %d, `go run -tags cuda cmd/bench/main.go gpu`\n\n| figure | measured | target | NSMP on an A100 |\n|---|---:|---:|---:|\n", d.Name(), c.Rank)
	for i, g := range graphs {
		g.entities, g.triples = max(100, g.entities/int(c.Scale)), max(100, g.triples/int(c.Scale))
		if err := b.on(ctx, g, model.Float32, b.single); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		if err := b.on(ctx, g, model.BFloat16, b.batches); err != nil {
			return err
		}
	}
	return nil
}

// bench is what every measurement needs.
type bench struct {
	command *Command
	device  *device.Device
	out     *cli.Output
}

func (b *bench) print(format string, args ...any) { fmt.Fprintf(b.out.Stdout, format, args...) }

// on measures a model of the given size, which it makes and brings to the device.
func (b *bench) on(ctx context.Context, g sizes, table model.TableType, measure func(ctx context.Context, m *device.Model, host *model.Model, g sizes) error) error {
	b.out.Progress("%s: making a model", g.name)
	host, err := synthetic(g, int(b.command.Rank), table)
	if err != nil {
		return err
	}
	defer host.Close()
	m, err := b.device.Load(host)
	if err != nil {
		return err
	}
	defer m.Close()
	return measure(ctx, m, host, g)
}

// shapes returns the mean over the ten shapes of FIT of the seconds that a batch takes;
// each gets that of every shape.
func (b *bench) shapes(ctx context.Context, m *device.Model, host *model.Model, g sizes, runs, batch int, each func(shape string, seconds float64)) (float64, error) {
	total := 0.0
	shapes := eval.GroupShapes("F")
	for _, shape := range shapes {
		b.out.Progress("%s, batch %d: %s", g.name, batch, shape)
		seconds, err := answer(ctx, m, host, shape, runs, batch)
		if err != nil {
			return 0, err
		}
		total += seconds
		each(shape, seconds)
	}
	return total / float64(len(shapes)), nil
}

// single measures one query at a time, and the bandwidth of a pass.
func (b *bench) single(ctx context.Context, m *device.Model, host *model.Model, g sizes) error {
	details := ""
	mean, err := b.shapes(ctx, m, host, g, int(b.command.Runs), 1, func(shape string, seconds float64) {
		details += fmt.Sprintf("| %s, %s | %.3f ms | | |\n", g.name, shape, 1e3*seconds)
	})
	if err != nil {
		return err
	}
	b.print("| %s, mean of the ten FIT shapes | %.3f ms | ≤ %.2f ms | %s |\n%s", g.name, 1e3*mean, 1e3*g.seconds, g.paper, details)
	pass, copied, err := bandwidths(ctx, m, host)
	if err != nil {
		return err
	}
	b.print("| %s, bandwidth of the table pass | %.0f GB/s, %.0f%% of a device copy's %.0f | ≥ 80%% | |\n", g.name, pass/1e9, 100*pass/copied, copied/1e9)
	return nil
}

// batches measures queries in batches.
func (b *bench) batches(ctx context.Context, m *device.Model, host *model.Model, g sizes) error {
	mean, err := b.shapes(ctx, m, host, g, max(3, int(b.command.Runs)/20), int(b.command.Batch), func(string, float64) {})
	if err != nil {
		return err
	}
	b.print("| %s, bfloat16, batch %d, mean of the ten | %.0f queries/s | ≥ 50,000 | |\n", g.name, b.command.Batch, float64(b.command.Batch)/mean)
	return nil
}
