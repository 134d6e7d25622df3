// Command gpubench measures the plans on a GPU, on synthetic models of the size of
// FB15k-237 and NELL995 at rank 1000, and prints the figures as Markdown:
//
//	go run -tags cuda ./cmd/gpubench
//
// Times are from ids on the host to the ten best answers on the host.
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/efoc/efoc/cmd/internal/devcmd"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
)

// options are the command line.
type options struct {
	Rank  int `default:"1000" help:"Rank of the models."`
	Runs  int `default:"200" help:"Queries of each shape that are timed."`
	Batch int `default:"256" help:"Queries in a batch."`
	Scale int `default:"1" help:"Divides the sizes of the models, for a trial."`
}

func main() {
	devcmd.Main("gpubench", "Measures the plans on a GPU and prints the figures as Markdown.", &options{})
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
func (o options) Run(ctx context.Context, out, progress io.Writer) error {
	if o.Rank < 1 || o.Runs < 1 || o.Batch < 1 || o.Scale < 1 {
		return devcmd.Usagef("--rank, --runs, --batch and --scale are numbers from 1 on")
	}
	d, err := nvidia.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	fmt.Fprintf(out, "%s, rank %d, `go run -tags cuda ./cmd/gpubench`\n\n| figure | measured | target | NSMP on an A100 |\n|---|---:|---:|---:|\n", d.Name(), o.Rank)
	for i, g := range graphs {
		g.entities, g.triples = max(100, g.entities/o.Scale), max(100, g.triples/o.Scale)
		fmt.Fprintf(progress, "%s: making a model\n", g.name)
		host, err := synthetic(g, o.Rank, runtime.Float32)
		if err != nil {
			return err
		}
		if err := single(ctx, o, d, host, g, out, progress); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		half, err := synthetic(g, o.Rank, runtime.BFloat16)
		if err != nil {
			return err
		}
		if err := batches(ctx, o, d, half, g, out, progress); err != nil {
			return err
		}
	}
	return nil
}

// single measures one query at a time, and the bandwidth of a pass.
func single(ctx context.Context, o options, d *device.Device, host *runtime.Model, g sizes, out, progress io.Writer) error {
	m, err := d.Load(host)
	if err != nil {
		return err
	}
	defer m.Close()
	total, count := 0.0, 0
	details := ""
	for _, s := range lang.Shapes {
		if s.Group != "F" {
			continue
		}
		fmt.Fprintf(progress, "%s: %s\n", g.name, s.Name)
		seconds, err := answer(ctx, m, host, s.Name, o.Runs, 1)
		if err != nil {
			return err
		}
		total, count = total+seconds, count+1
		details += fmt.Sprintf("| %s, %s | %.3f ms | | |\n", g.name, s.Name, 1e3*seconds)
	}
	fmt.Fprintf(out, "| %s, mean of the ten FIT shapes | %.3f ms | ≤ %.2f ms | %s |\n%s", g.name, 1e3*total/float64(count), 1e3*g.seconds, g.paper, details)
	pass, copied, err := bandwidths(ctx, m, host)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| %s, bandwidth of the table pass | %.0f GB/s, %.0f%% of a device copy's %.0f | ≥ 80%% | |\n", g.name, pass/1e9, 100*pass/copied, copied/1e9)
	return nil
}

// batches measures queries in batches.
func batches(ctx context.Context, o options, d *device.Device, host *runtime.Model, g sizes, out, progress io.Writer) error {
	m, err := d.Load(host)
	if err != nil {
		return err
	}
	defer m.Close()
	total, count := 0.0, 0
	for _, s := range lang.Shapes {
		if s.Group != "F" {
			continue
		}
		fmt.Fprintf(progress, "%s, batches: %s\n", g.name, s.Name)
		seconds, err := answer(ctx, m, host, s.Name, max(3, o.Runs/20), o.Batch)
		if err != nil {
			return err
		}
		total, count = total+seconds/float64(o.Batch), count+1
	}
	fmt.Fprintf(out, "| %s, bfloat16, batch %d, mean of the ten | %.0f queries/s | ≥ 50,000 | |\n", g.name, o.Batch, float64(count)/total)
	return nil
}
