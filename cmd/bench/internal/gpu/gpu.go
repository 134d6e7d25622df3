// Package gpu measures plans on a GPU, on synthetic models of the size of FB15k-237 and
// NELL995 at rank 1000, and prints the results as Markdown:
//
//	go run -tags cuda cmd/bench/main.go gpu
//
// Times run from ids on the host to the ten best answers on the host. A kernel's time is the
// difference between many and few repetitions.
package gpu

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
)

// Command is the command line.
type Command struct {
	Rank    cli.Count `default:"1000" help:"Rank of the models."`
	Runs    cli.Count `default:"200" help:"Queries of each shape that are timed."`
	Batch   cli.Count `default:"256" help:"Queries in a batch."`
	Scale   cli.Count `default:"1" help:"Divides the sizes of the models, for a trial."`
	Types   string    `name:"shape" placeholder:"SHAPE,..." help:"Shapes to measure; by default the ten of FIT."`
	Kernels bool      `help:"Measure the kernels of each shape, one by one."`
	JSON    string    `name:"json" placeholder:"FILE" help:"Write the figures to a file, too."`
}

// sizes of the graphs: entities, relations, triples of the observed graph.
type sizes struct {
	name                         string
	entities, relations, triples int
	seconds                      float64 // that are aimed at, for the mean of the ten shapes
	paper                        string
}

var graphs = []sizes{
	{"FB15k-237's size", 14505, 237, 272115, 0.2e-3, "21.4 ms"},
	{"NELL995's size", 63361, 200, 114213, 0.5e-3, "52.9 ms"},
}

// report is what is measured.
type report struct {
	Device string    `json:"device"`
	Rank   int       `json:"rank"`
	Shapes []figures `json:"shapes"`
}

// figures are those of a shape, in seconds: of one query, or of one in a batch.
type figures struct {
	Graph   string   `json:"graph"`
	Table   string   `json:"table"`
	Shape   string   `json:"shape"`
	Batch   int      `json:"batch"`
	Seconds float64  `json:"seconds_per_query"`
	Kernels []kernel `json:"kernels,omitempty"`
}

// Run measures everything.
func (c *Command) Run(ctx context.Context, out *cli.Output) error {
	d, err := nvidia.Open()
	if err != nil {
		return err
	}
	defer d.Close()
	b := &bench{command: c, device: d, out: out, shapes: eval.GroupShapes("F"), report: report{Device: d.Name(), Rank: int(c.Rank)}}
	if c.Types != "" {
		b.shapes = strings.Split(c.Types, ",")
	}
	if err := b.measure(ctx); err != nil || c.JSON == "" {
		return err
	}
	text, err := json.MarshalIndent(b.report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.JSON, append(text, '\n'), 0o644)
}

// bench is what every measurement needs.
type bench struct {
	command *Command
	device  *device.Device
	out     *cli.Output
	shapes  []string
	report  report
}

func (b *bench) print(format string, args ...any) { fmt.Fprintf(b.out.Stdout, format, args...) }

// measure measures both graphs, one query at a time and in batches.
func (b *bench) measure(ctx context.Context) error {
	b.print("%s, rank %d, `go run -tags cuda cmd/bench/main.go gpu`\n\n", b.report.Device, b.command.Rank)
	b.print("| figure | measured | target | NSMP on an A100 |\n|---|---:|---:|---:|\n")
	for _, g := range graphs {
		g.entities, g.triples = max(100, g.entities/int(b.command.Scale)), max(100, g.triples/int(b.command.Scale))
		for _, table := range []model.TableType{model.Float32, model.BFloat16, model.Int8} {
			if err := b.on(ctx, g, table); err != nil {
				return err
			}
		}
	}
	return nil
}

// on measures a model of the given size, which it makes and brings to the device.
func (b *bench) on(ctx context.Context, g sizes, table model.TableType) error {
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
	of := fmt.Sprintf("%s, %s", g.name, table)
	single, details, err := b.mean(ctx, m, host, figures{Graph: g.name, Table: string(table), Batch: 1})
	if err != nil {
		return err
	}
	b.print("| %s, mean of the shapes | %.3f ms | ≤ %.2f ms | %s |\n%s", of, 1e3*single, 1e3*g.seconds, g.paper, details)
	batch, _, err := b.mean(ctx, m, host, figures{Graph: g.name, Table: string(table), Batch: int(b.command.Batch)})
	if err != nil {
		return err
	}
	b.print("| %s, batch %d, mean of the shapes | %.0f queries/s | ≥ 50,000 | |\n", of, b.command.Batch, 1/batch)
	return nil
}

// mean measures all shapes, one query at a time or in batches, and returns the mean of the
// seconds of a query, and a line of Markdown for each shape.
func (b *bench) mean(ctx context.Context, m *device.Model, host *model.Model, f figures) (float64, string, error) {
	total, details := 0.0, ""
	runs := int(b.command.Runs)
	if f.Batch > 1 {
		runs = max(3, runs/20)
	}
	for _, f.Shape = range b.shapes {
		b.out.Progress("%s, %s, batch %d: %s", f.Graph, f.Table, f.Batch, f.Shape)
		p, err := planOf(f.Shape)
		if err != nil {
			return 0, "", err
		}
		if f.Seconds, err = times(ctx, m, host, p, runs, f.Batch); err != nil {
			return 0, "", err
		}
		f.Seconds /= float64(f.Batch)
		details += fmt.Sprintf("| %s, %s, %s | %.3f ms | | |\n", f.Graph, f.Table, f.Shape, 1e3*f.Seconds)
		f.Kernels = nil
		if b.command.Kernels && f.Batch == 1 {
			if f.Kernels, err = kernels(ctx, m, host, p, max(3, runs/10)); err != nil {
				return 0, "", err
			}
			details += b.kernels(f.Kernels)
		}
		b.report.Shapes = append(b.report.Shapes, f)
		total += f.Seconds
	}
	return total / float64(len(b.shapes)), details, nil
}

// kernels prints those of a shape.
func (b *bench) kernels(list []kernel) string {
	text := ""
	for _, k := range list {
		text += fmt.Sprintf("| `%s` | %.1f µs | | |\n", k.Name, 1e6*k.Seconds)
		if k.Bytes > 0 {
			text += fmt.Sprintf("| … reads the table | %.0f GB/s | | |\n", k.Bytes/k.Seconds/1e9)
		}
	}
	return text
}
