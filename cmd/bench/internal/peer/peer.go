// Package peer compares the speed of efoc with that of an implementation of the same
// method in PyTorch, on the same queries, data and number of threads.
//
// It needs the folder of real inputs, $EFOC_SHARED or ../shared: the graphs in data/ and
// the PyTorch program peer/nsmp_torch.py, which needs Python 3 with torch, scipy and
// numpy. Run it from the root of the module:
//
//	go run cmd/bench/main.go peer
//	go run cmd/bench/main.go peer --graph nell995 --types 2p,3p --limit 10 --rounds 5
//	go run cmd/bench/main.go peer --graph nell995 --queries fit.jsonl --table float16
//	go run cmd/bench/main.go peer --threads 2 --engines compiled,interpreted,layers --format markdown
//
// The two take turns, in an order that is reversed from round to round, so that a machine
// that gets slower or faster in between favours neither. Both are timed from a query's
// ids to the probabilities of all entities, without loading and compiling; the peer has
// built its sparse matrices before. The figures are medians over the rounds of the mean
// over the queries.
//
// The answers to the first query of each shape are compared. With a table of half width
// they may differ, unless the checkpoint is of that type, and the report says so;
// otherwise a difference is an error.
package peer

import (
	"context"
	"path/filepath"
	goruntime "runtime"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/bench/internal/compare"
	"github.com/efoc/efoc/cmd/internal/eval"
)

// Command is the command line.
type Command struct {
	Graph   string         `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types   compare.Shapes `placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; the ten of FIT if not given."`
	Engines []string       `enum:"compiled,interpreted,layers" default:"compiled" help:"Engines of efoc: compiled, interpreted, layers."`
	Table   string         `enum:"float32,bfloat16,float16,int8,int4" default:"float32" help:"Type of efoc's entity table: float32, bfloat16 or float16; the peer computes in float32 whatever its checkpoint holds."`
	Format  string         `enum:"table,markdown,json" default:"table" help:"Output: table, markdown or json."`

	compare.Flags
	Peer       string   `placeholder:"FILE" help:"The PyTorch program; peer/nsmp_torch.py of the shared folder if not given."`
	Queries    string   `placeholder:"FILE.jsonl" help:"Queries; queries-dev.jsonl of the graph if not given."`
	Checkpoint string   `placeholder:"FILE" help:"Embeddings; the checkpoint in the graph's folder if not given."`
	Lambda     *float64 `placeholder:"λ" help:"Weight of the fuzzy state; 0.3, or 0.1 on nell995, if not given."`
	Alpha      *float64 `placeholder:"α" help:"Mass of a negated message; 100, or 1000 on nell995, if not given."`
}

// complete fills in what the command line leaves open.
func (c *Command) complete() {
	if len(c.Types) == 0 {
		c.Types = eval.GroupShapes("F")
	}
	if c.Queries == "" {
		c.Queries = filepath.Join(c.input().Dir(), "queries-dev.jsonl")
	}
	s := c.input().Settings()
	if c.Lambda == nil {
		c.Lambda = &s.Lambda
	}
	if c.Alpha == nil {
		c.Alpha = &s.Alpha
	}
}

// input returns the graph's place among the real inputs.
func (c *Command) input() compare.Input { return compare.Input{Shared: c.Shared, Graph: c.Graph} }

// Run makes the comparison and prints it.
func (c *Command) Run(ctx context.Context, out *cli.Output) error {
	c.complete()
	if err := c.input().Check(c.input().NSMP(c.Peer, 0, 0).Path, c.Queries); err != nil {
		return err
	}
	python, err := compare.FindPython(ctx, c.Python)
	if err != nil {
		return err
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(int(c.Threads)))
	b, err := c.newBench(ctx, python, out)
	if err != nil {
		return err
	}
	defer b.close()
	for round := range int(c.Rounds) {
		out.Progress("round %d of %d", round+1, c.Rounds)
		if err := b.round(ctx, round); err != nil {
			return err
		}
	}
	return b.report().write(out.Stdout, c.Format)
}
