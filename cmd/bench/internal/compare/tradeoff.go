package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model"
)

// Tradeoff measures quality and time of every way to answer queries, in one run and on
// the same queries, and draws one against the other: message passing layer by layer and
// compiled, truth degrees with few and many candidates, the mixture of both, and the
// implementations in PyTorch, which are left out without Python.
//
//	go run cmd/bench/main.go tradeoff --plot tradeoff.svg --csv tradeoff.csv
//	go run cmd/bench/main.go tradeoff --graph nell995 --queries nell995=fit.jsonl --limit 5
//	go run cmd/bench/main.go tradeoff --graph fb15k-237 --types 2il,3c --candidates 4,64 --leave-out pytorch
//
// No row of truth degrees is kept from one query to the next. Figures are means over the
// shapes: of MRR, with the filter "released", and of the median time over the rounds. A
// query that takes longer than --cap is stopped and not asked again. It counts as that in
// the time and as 0 in the MRR, so that both are lower bounds, and the report says so.
//
// NSMP in PyTorch prints its MRR to one place; FIT in PyTorch has rows for the K best
// entities alone and runs on one thread.
type Tradeoff struct {
	Graph      []string      `default:"fb15k-237,nell995" help:"Folders of graphs below data/."`
	Queries    []string      `placeholder:"GRAPH=FILE" help:"Queries of a graph, queries-dev.jsonl in its folder if not given; may be repeated, also for one graph."`
	Types      Shapes        `placeholder:"SHAPES" help:"Shapes, such as 2p,3c; all that there are if not given."`
	Engines    []string      `enum:"layers,interpreted,compiled" default:"layers,compiled" help:"Engines that pass messages: layers, interpreted, compiled."`
	Candidates cli.Counts    `default:"1,4,8,16,32,64" help:"Numbers of candidates of truth degrees."`
	PyTorch    cli.Count     `name:"pytorch-candidates" default:"8" placeholder:"K" help:"Number of candidates of FIT in PyTorch."`
	LeaveOut   []string      `enum:"nsmp,fit,mixed,pytorch" placeholder:"NAMES" help:"What not to measure: nsmp, fit, mixed, pytorch."`
	Threads    cli.Count     `default:"1" help:"Number of threads of each."`
	Cap        time.Duration `default:"1m" help:"Longest time of a query."`

	CSV  string   `name:"csv" placeholder:"FILE" help:"Write the figures, by shape too."`
	Plot []string `placeholder:"FILE.svg" help:"Draw the figures, into .svg or .png files."`

	Flags
}

// has reports whether a part is measured.
func (cmd *Tradeoff) has(part string) bool { return !slices.Contains(cmd.LeaveOut, part) }

// Validate reports mistakes in the command line.
func (cmd *Tradeoff) Validate() error {
	if cmd.Cap <= 0 {
		return fmt.Errorf("--cap is %v, want a time above 0", cmd.Cap)
	}
	for _, q := range cmd.Queries {
		if graph, _, ok := strings.Cut(q, "="); !ok || !slices.Contains(cmd.Graph, graph) {
			return fmt.Errorf("--queries %s: want one of the graphs %v before =", q, cmd.Graph)
		}
	}
	for _, p := range cmd.Plot {
		if f := format(p); f != "svg" && f != "png" {
			return fmt.Errorf("--plot %s: want a name that ends in .svg or .png", p)
		}
	}
	return nil
}

// format returns the format of a picture by its name.
func format(path string) string { return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")) }

// Run measures every graph and writes what came out.
func (cmd *Tradeoff) Run(ctx context.Context, out *cli.Output) error {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(int(cmd.Threads)))
	var r report
	for _, graph := range cmd.Graph {
		g, err := cmd.measure(ctx, graph, out)
		if err != nil {
			return fmt.Errorf("%s: %w", graph, err)
		}
		r.Graphs = append(r.Graphs, g)
	}
	err := r.writeTable(out.Stdout)
	if err == nil && cmd.CSV != "" {
		err = atomicfile.Write(cmd.CSV, r.writeCSV)
	}
	for _, p := range cmd.Plot {
		if err == nil {
			err = atomicfile.Write(p, func(w io.Writer) error { return r.draw(w, format(p)) })
		}
	}
	return err
}

// measure measures one graph.
func (cmd *Tradeoff) measure(ctx context.Context, graph string, out *cli.Output) (*graphReport, error) {
	f := &field{Flags: &cmd.Flags, graph: graph, threads: int(cmd.Threads), out: out}
	defer f.close()
	s := source{types: cmd.Types.Names(), settings: paperSettings(graph), table: model.Float32}
	for _, q := range cmd.Queries {
		if of, file, _ := strings.Cut(q, "="); of == graph {
			s.files = append(s.files, file)
		}
	}
	if err := f.open(ctx, s); err != nil {
		return nil, err
	}
	f.model.Rows().SetBudget(0)
	if err := cmd.enter(f); err != nil {
		return nil, err
	}
	if cmd.has("pytorch") {
		cmd.enterPrograms(ctx, f, s.settings)
	}
	if err := f.rounds(ctx, cmd.Cap, true); err != nil {
		return nil, err
	}
	return f.report(), nil
}

// The series of efoc's contenders; those of NSMP are named after their engines.
const (
	seriesFIT   = "FIT, bounded"
	seriesMixed = "mixed"
)

// enter makes the contenders of efoc ready.
func (cmd *Tradeoff) enter(f *field) error {
	var errs []error
	enter := func(part, series string, candidates int, o compiler.PrepareOptions) {
		if cmd.has(part) {
			_, err := f.prepare(series, candidates, o)
			errs = append(errs, err)
		}
	}
	for _, e := range cmd.Engines {
		enter("nsmp", "NSMP, "+e, 0, compiler.PrepareOptions{Engine: compiler.Engine(e), Semantics: new(model.NSMP)})
	}
	for _, k := range cmd.Candidates {
		enter("fit", seriesFIT, k, compiler.PrepareOptions{Semantics: new(model.FIT)})
	}
	for _, k := range cmd.Candidates {
		enter("mixed", seriesMixed, k, compiler.PrepareOptions{Semantics: new(model.Mixed)})
	}
	return errors.Join(errs...)
}

// enterPrograms enters the implementations in PyTorch, as far as they are there.
func (cmd *Tradeoff) enterPrograms(ctx context.Context, f *field, s model.Settings) {
	python, _, err := findPython(ctx, cmd.Python)
	if err != nil {
		f.say("without PyTorch: %v", err)
		return
	}
	k := int(cmd.PyTorch)
	for _, c := range []*contender{
		{series: "NSMP, PyTorch", program: f.nsmp("", s)}, {series: "FIT, PyTorch", candidates: k, program: f.fit(k, s.Degrees)},
	} {
		if c.program.Once && filepath.Ext(f.checkpoint) != ".pt" {
			f.say("without %s, which does not read %s", c.series, filepath.Base(f.checkpoint))
			continue
		}
		if err := f.check(c.program.Path); err != nil {
			f.say("without %s: %v", c.series, err)
			continue
		}
		c.program.Python = python
		f.add(c)
	}
}
