// Package tradeoff measures quality and time of every way to answer queries, in one run
// and on the same queries, and draws one against the other: message passing layer by
// layer and compiled, truth degrees with few and many candidates, the mixture of both,
// exact FIT, and the implementations in PyTorch.
//
// It needs the folder of real inputs, $EFOC_SHARED or ../shared: the graphs in data/
// and, for PyTorch, the programs in peer/ and Python 3 with torch, scipy and numpy.
// Without Python those are left out. Run it from the root of the module:
//
//	go run cmd/bench/main.go tradeoff --plot tradeoff.svg --csv tradeoff.csv
//	go run cmd/bench/main.go tradeoff --graph nell995 --queries nell995=fit.jsonl --limit 5 --exact-dir matrices
//	go run cmd/bench/main.go tradeoff --graph fb15k-237 --types 2il,3c --candidates 4,64 --leave-out pytorch
//
// All are timed from a query's ids to the scores of all entities, one query at a time;
// importing, compiling, the matrices of exact FIT and the sparse matrices of PyTorch come
// before. They take turns, in an order that is reversed from round to round. No row of
// truth degrees is kept from one query to the next. Figures are means over the shapes:
// of MRR, with the filter "released", and of the median over the rounds of the mean time
// of a query. A query that takes longer than --cap is stopped and not asked again. It
// counts as that in the time and as 0 in the MRR, so that both are lower bounds, and the
// report says so.
//
// NSMP in PyTorch is the peer's program, and prints its MRR to one place; FIT in PyTorch
// has rows for the K best entities alone and runs on one thread.
package tradeoff

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/natefinch/atomic"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/bench/internal/compare"
)

// Command is the command line.
type Command struct {
	Graph      []string       `default:"fb15k-237,nell995" help:"Folders of graphs below data/."`
	Queries    []string       `placeholder:"GRAPH=FILE" help:"Queries of a graph, queries-dev.jsonl in its folder if not given; may be repeated, also for one graph."`
	Types      compare.Shapes `placeholder:"SHAPES" help:"Shapes, such as 2p,3c; all that there are if not given."`
	Engines    []string       `enum:"layers,interpreted,compiled" default:"layers,compiled" help:"Engines that pass messages: layers, interpreted, compiled."`
	Candidates cli.Counts     `default:"1,4,8,16,32,64" help:"Numbers of candidates of truth degrees."`
	PyTorch    cli.Count      `name:"pytorch-candidates" default:"8" placeholder:"K" help:"Number of candidates of FIT in PyTorch."`
	LeaveOut   []string       `enum:"nsmp,fit,mixed,exact,pytorch" placeholder:"NAMES" help:"What not to measure: nsmp, fit, mixed, exact, pytorch."`
	Cap        time.Duration  `default:"1m" help:"Longest time of a query."`
	ExactMB    cli.Count      `name:"exact-mb" default:"8192" placeholder:"MB" help:"Memory for the matrices of exact FIT, in megabytes."`
	ExactDir   string         `placeholder:"FOLDER" help:"Keep those matrices in this folder, and use those that it holds."`

	CSV  string   `name:"csv" placeholder:"FILE" help:"Write the figures, by shape too."`
	Plot []string `placeholder:"FILE.svg" help:"Draw the figures, into .svg or .png files."`

	compare.Flags
}

// has reports whether a part is measured.
func (cmd *Command) has(part string) bool { return !slices.Contains(cmd.LeaveOut, part) }

// Validate reports mistakes in the command line.
func (cmd *Command) Validate() error {
	if cmd.Cap <= 0 {
		return fmt.Errorf("--cap is %v, want a time above 0", cmd.Cap)
	}
	for _, q := range cmd.Queries {
		if graph, _, ok := strings.Cut(q, "="); !ok || !slices.Contains(cmd.Graph, graph) {
			return fmt.Errorf("--queries %s: want one of the graphs %v before =", q, cmd.Graph)
		}
	}
	for _, p := range cmd.Plot {
		if format(p) == "" {
			return fmt.Errorf("--plot %s: want a name that ends in .svg or .png", p)
		}
	}
	return nil
}

// format returns the format of a picture's name, empty if there is none for it.
func format(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		return ext[1:]
	}
	return ""
}

// Run measures every graph and writes what came out.
func (cmd *Command) Run(ctx context.Context, out *cli.Output) error {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(int(cmd.Threads)))
	var r report
	for _, graph := range cmd.Graph {
		g, err := cmd.measure(ctx, graph, out)
		if err != nil {
			return fmt.Errorf("%s: %w", graph, err)
		}
		r.Graphs = append(r.Graphs, g)
	}
	if err := r.writeTable(out.Stdout); err != nil {
		return err
	}
	if cmd.CSV != "" {
		if err := writeFile(cmd.CSV, r.writeCSV); err != nil {
			return err
		}
	}
	for _, p := range cmd.Plot {
		if err := writeFile(p, func(w io.Writer) error { return r.draw(w, format(p)) }); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file so that it is there as a whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomic.WriteFile(path, &b)
}
