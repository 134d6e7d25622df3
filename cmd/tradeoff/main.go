// Command tradeoff measures quality and time of every way to answer queries, in one run
// and on the same queries, and draws one against the other: message passing layer by
// layer and compiled, truth degrees with few and many candidates, the mixture of both,
// exact FIT, and the implementations in PyTorch.
//
// It needs the folder of real inputs, $EFOC_SHARED or ../shared: the graphs in data/
// and, for PyTorch, the programs in peer/ and Python 3 with torch, scipy and numpy.
// Without Python those are left out. Run it from the root of the module:
//
//	go run ./cmd/tradeoff --plot tradeoff.svg --csv tradeoff.csv
//	go run ./cmd/tradeoff --graph nell995 --queries nell995=fit.jsonl --limit 5 --exact-dir matrices
//	go run ./cmd/tradeoff --graph fb15k-237 --types 2il,3c --candidates 4,64 --leave-out pytorch
//
// All are timed from a query's ids to the scores of all entities, one query at a time;
// importing, compiling, the matrices of exact FIT and the sparse matrices of PyTorch come
// before. They take turns, in an order that is turned round from round to round. No row
// of truth degrees is kept from one query to the next. Figures are means over the shapes:
// of MRR, with the filter "released", and of the median over the rounds of the mean time
// of a query. A query that takes longer than --cap is stopped and not asked again. It
// counts as that in the time and as 0 in the MRR, so that both are lower bounds, and the
// report says so.
//
// NSMP in PyTorch is the peer's program, and prints its MRR to one place; FIT in PyTorch
// has rows for the K best entities alone and runs on one thread.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/devcmd"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
)

// options are the command line.
type options struct {
	Graph      []string      `default:"fb15k-237,nell995" help:"Folders of graphs below data/."`
	Queries    []string      `placeholder:"GRAPH=FILE" help:"Queries of a graph, queries-dev.jsonl in its folder if not given; may be repeated, also for one graph."`
	Types      []string      `placeholder:"SHAPES" help:"Shapes, such as 2p,3c; all that there are if not given."`
	Limit      int           `default:"20" help:"Number of queries of each shape."`
	Threads    int           `default:"1" help:"Number of threads."`
	Rounds     int           `default:"3" help:"Number of rounds."`
	Engines    []string      `default:"layers,compiled" help:"Engines that pass messages: layers, interp, compiled."`
	Candidates []int         `default:"1,4,8,16,32,64" help:"Numbers of candidates of truth degrees."`
	PyTorch    int           `name:"pytorch-candidates" default:"8" placeholder:"K" help:"Number of candidates of FIT in PyTorch."`
	LeaveOut   []string      `placeholder:"NAMES" help:"What not to measure: nsmp, fit, mixed, exact, pytorch."`
	Cap        time.Duration `default:"1m" help:"Longest time of a query."`
	ExactMB    int           `name:"exact-mb" default:"8192" placeholder:"MB" help:"Memory for the matrices of exact FIT, in megabytes."`
	ExactDir   string        `placeholder:"FOLDER" help:"Keep those matrices in this folder, and use those that it holds."`

	CSV  string   `name:"csv" placeholder:"FILE" help:"Write the figures, by shape too."`
	Plot []string `placeholder:"FILE.svg" help:"Draw the figures, into .svg or .png files."`

	Shared string `env:"EFOC_SHARED" default:"../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Python string `placeholder:"FILE" help:"Python interpreter; the first python3 that has torch if not given."`
}

// parts are what can be left out.
var parts = []string{"nsmp", "fit", "mixed", "exact", "pytorch"}

// has reports whether a part is measured.
func (o *options) has(part string) bool { return !slices.Contains(o.LeaveOut, part) }

// name and description are those of the command.
const (
	name        = "tradeoff"
	description = "Draws the quality of answers against the time that they take."
)

func main() { devcmd.Main(name, description, &options{}) }

// check reports mistakes in the command line.
func (o *options) check() error {
	for _, x := range []struct {
		name  string
		value int
	}{{"limit", o.Limit}, {"threads", o.Threads}, {"rounds", o.Rounds}, {"pytorch-candidates", o.PyTorch}, {"exact-mb", o.ExactMB}} {
		if x.value < 1 {
			return devcmd.Usagef("--%s is %d, want 1 or more", x.name, x.value)
		}
	}
	for _, k := range o.Candidates {
		if err := runtime.CandidatesRange.CheckWhole(k); err != nil {
			return devcmd.Usagef("--%w", err)
		}
	}
	if o.Cap <= 0 {
		return devcmd.Usagef("--cap is %v, want a time above 0", o.Cap)
	}
	engines := []string{string(compiler.EngineCompiled), string(compiler.EngineInterp), string(compiler.EngineLayers)}
	for _, list := range []struct {
		name          string
		values, among []string
	}{{"engines", o.Engines, engines}, {"leave-out", o.LeaveOut, parts}} {
		for _, v := range list.values {
			if !slices.Contains(list.among, v) {
				return devcmd.Usagef("--%s: there is no %q, want some of %v", list.name, v, list.among)
			}
		}
	}
	for _, t := range o.Types {
		if _, err := lang.ShapeQuery(t); err != nil {
			return devcmd.Usagef("--types: %w", err)
		}
	}
	for _, q := range o.Queries {
		if graph, _, ok := strings.Cut(q, "="); !ok || !slices.Contains(o.Graph, graph) {
			return devcmd.Usagef("--queries %s: want one of the graphs %v before =", q, o.Graph)
		}
	}
	for _, p := range o.Plot {
		if format(p) == "" {
			return devcmd.Usagef("--plot %s: want a name that ends in .svg or .png", p)
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
func (o *options) Run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(o.Threads))
	var r report
	for _, graph := range o.Graph {
		g, err := o.measure(ctx, graph, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", graph, err)
		}
		r.Graphs = append(r.Graphs, g)
	}
	if err := r.writeTable(stdout); err != nil {
		return err
	}
	if o.CSV != "" {
		if err := atomicfile.Write(o.CSV, r.writeCSV); err != nil {
			return err
		}
	}
	for _, p := range o.Plot {
		if err := atomicfile.Write(p, func(w io.Writer) error { return r.draw(w, format(p)) }); err != nil {
			return err
		}
	}
	return nil
}
