// Command peerbench compares the speed of efoc with that of an implementation of
// the same method in PyTorch, on the same queries, data and number of threads.
//
// It needs the folder of real inputs, $EFOC_SHARED or ../shared: the graphs in
// data/ and the PyTorch program peer/nsmp_torch.py, which needs Python 3 with
// torch, scipy and numpy. Run it from the root of the module:
//
//	go run ./cmd/peerbench
//	go run ./cmd/peerbench --graph nell995 --types 2p,3p --limit 10 --rounds 5
//	go run ./cmd/peerbench --graph nell995 --queries fit.jsonl --table float16
//	go run ./cmd/peerbench --threads 2 --engines compiled,interp,layers --format markdown
//
// The two take turns, in an order that is turned round from round to round, so
// that a machine that gets slower or faster in between favours neither. Both are
// timed from a query's ids to the probabilities of all entities, without loading
// and compiling; the peer has built its sparse matrices before. The figures are
// medians over the rounds of the mean over the queries.
//
// The answers to the first query of each shape are compared. With a table of half
// width they may differ, unless the checkpoint is of that type, and the report says
// so; otherwise a difference is an error.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/internal/devcmd"
	"github.com/efoc/efoc/cmd/internal/peer"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
)

// options are the command line.
type options struct {
	Graph   string   `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types   []string `placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; the ten of FIT if not given."`
	Limit   int      `default:"20" help:"Number of queries of each shape."`
	Threads int      `default:"1" help:"Number of threads of either."`
	Rounds  int      `default:"3" help:"Number of rounds."`
	Engines []string `default:"compiled" help:"Engines of efoc: compiled, interp, layers."`
	Table   string   `enum:"float32,bfloat16,float16" default:"float32" help:"Type of efoc's entity table: float32, bfloat16 or float16; the peer computes in float32 whatever its checkpoint holds."`
	Format  string   `enum:"table,markdown,json" default:"table" help:"Output: table, markdown or json."`

	Shared     string   `env:"EFOC_SHARED" default:"../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Peer       string   `placeholder:"FILE" help:"The PyTorch program; peer/nsmp_torch.py of the shared folder if not given."`
	Python     string   `placeholder:"FILE" help:"Python interpreter; the first python3 that has torch if not given."`
	Queries    string   `placeholder:"FILE.jsonl" help:"Queries; queries-dev.jsonl of the graph if not given."`
	Checkpoint string   `placeholder:"FILE" help:"Embeddings; the checkpoint in the graph's folder if not given."`
	Lambda     *float64 `placeholder:"λ" help:"Weight of the fuzzy state; 0.3, or 0.1 on nell995, if not given."`
	Alpha      *float64 `placeholder:"α" help:"Mass of a negated message; 100, or 1000 on nell995, if not given."`
}

// name and description are those of the command.
const (
	name        = "peerbench"
	description = "Compares the speed of efoc with that of an implementation in PyTorch."
)

func main() { devcmd.Main(name, description, &options{}) }

// complete checks the command line and fills in what it leaves open.
func (o *options) complete() error {
	switch {
	case o.Limit < 1:
		return devcmd.Usagef("--limit is %d, want 1 or more", o.Limit)
	case o.Threads < 1:
		return devcmd.Usagef("--threads is %d, want 1 or more", o.Threads)
	case o.Rounds < 1:
		return devcmd.Usagef("--rounds is %d, want 1 or more", o.Rounds)
	case len(o.Engines) == 0:
		return devcmd.Usagef("--engines names none")
	}
	timed := []compiler.Engine{compiler.EngineCompiled, compiler.EngineInterp, compiler.EngineLayers}
	for _, e := range o.Engines {
		if !slices.Contains(timed, compiler.Engine(e)) {
			return devcmd.Usagef("--engines: there is no %q, want some of %v", e, timed)
		}
	}
	switch {
	case len(o.Types) == 0:
		for _, s := range lang.Shapes {
			if s.Group == "F" {
				o.Types = append(o.Types, s.Name)
			}
		}
	case slices.Equal(o.Types, []string{"all"}):
		o.Types = nil
	default:
		for _, t := range o.Types {
			if _, err := lang.ShapeQuery(t); err != nil {
				return devcmd.Usagef("--types: %w", err)
			}
		}
	}
	if o.Queries == "" {
		o.Queries = filepath.Join(o.input().Dir(), "queries-dev.jsonl")
	}
	s := o.input().Settings()
	if o.Lambda == nil {
		o.Lambda = &s.Lambda
	}
	if o.Alpha == nil {
		o.Alpha = &s.Alpha
	}
	return nil
}

// input returns the graph's place among the real inputs.
func (o *options) input() peer.Input { return peer.Input{Shared: o.Shared, Graph: o.Graph} }

// run makes the comparison and prints it.
func (o *options) Run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.complete(); err != nil {
		return err
	}
	if err := o.input().Check(o.input().NSMP(o.Peer, 0, 0).Path, o.Queries); err != nil {
		return err
	}
	python, err := peer.FindPython(ctx, o.Python)
	if err != nil {
		return err
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(o.Threads))
	b, err := o.newBench(ctx, python, stderr)
	if err != nil {
		return err
	}
	defer b.close()
	for round := range o.Rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, o.Rounds)
		if err := b.round(ctx, round); err != nil {
			return err
		}
	}
	return b.report().write(stdout, o.Format)
}
