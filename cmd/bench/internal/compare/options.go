package compare

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/table"
)

// Peer compares the speed of efoc with the speed of an implementation of NSMP in PyTorch 2, which runs in
// four modes: eager, compiled by torch.compile, with a bfloat16 table, and both. Its time for a shape is
// the least median of the modes.
//
//	go run . peer --python DIR/bin/python
//	go run . peer --shape all --limit 6
//	go run . peer --graph nell995 --queries sampled.jsonl --shape all --limit 4
//	go run . peer --threads 2 --shape 2p,3p --leave-out compile,compile+bf16 --table float32
//
// efoc has four columns: the layers as the paper states them, and of the compiled plans the
// scores of all entities; the 10 best answers, which need less, whereas PyTorch has both from one
// computation; and the 10 best by the default semantics, which computes truth degrees as well and
// has no counterpart in PyTorch.
//
// The figures are medians over the rounds; both sides run with the same number of threads. The answers to the first query of each shape are compared with the answers of the
// eager mode. With a table of less than float32 they may differ, unless the checkpoint is of that type,
// and the report says so; otherwise a difference is an error.
type Peer struct {
	Graph    string     `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types    []string   `name:"shape" placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; by default the ten of FIT."`
	Table    table.Type `placeholder:"TYPE" help:"Type of efoc's entity table; by default that of efoc import."`
	Threads  cli.Count  `default:"1" help:"Number of threads."`
	LeaveOut []string   `enum:"compile,bf16,compile+bf16" placeholder:"MODES" help:"Modes of PyTorch not to measure: compile, bf16, compile+bf16."`

	Limit  cli.Count `default:"20" help:"Number of queries of each shape."`
	Rounds cli.Count `default:"3" help:"Number of rounds."`

	Shared     string `env:"EFOC_SHARED" default:"../../../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Python     string `default:"python3" placeholder:"FILE" help:"Python interpreter that has PyTorch 2, such as that of a virtual environment."`
	Queries    string `placeholder:"FILE.jsonl" help:"Queries; by default queries-dev.jsonl of the graph."`
	Checkpoint string `placeholder:"FILE" help:"Embeddings; by default the checkpoint in the graph's folder."`
}

// Validate reports mistakes in the command line.
func (cmd *Peer) Validate() error {
	cmd.Table = cmp.Or(cmd.Table, table.Default)
	if err := cmd.Table.Check(); err != nil {
		return fmt.Errorf("--table: %w", err)
	}
	switch {
	case len(cmd.Types) == 0:
		cmd.Types = eval.GroupShapes("F")
	case slices.Equal(cmd.Types, []string{"all"}):
		cmd.Types = nil
	}
	for _, name := range cmd.Types {
		if _, err := benchmark.Query(name); err != nil {
			return err
		}
	}
	return nil
}

// dir returns the folder of the graph among the real inputs.
func (cmd *Peer) dir() string { return filepath.Join(cmd.Shared, "data", cmd.Graph) }

// program returns the PyTorch program.
func (cmd *Peer) program() string { return filepath.Join(cmd.Shared, "peer", "nsmp_torch.py") }
