// Command bench is for the developers of efoc: measurements that need other programs, graphs
// made up, or questions that efoc does not read. It is a module of its own, so that nothing of it
// belongs to the build, the tests or the requirements of efoc. In this folder:
//
//	go run . --help
package main

import (
	"github.com/efoc/efoc/cmd/bench/internal/anycq"
	"github.com/efoc/efoc/cmd/bench/internal/assistant"
	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/bench/internal/compare"
	"github.com/efoc/efoc/cmd/bench/internal/synthetic"
)

// commands is the command line.
type commands struct {
	Peer  compare.Peer      `cmd:"" help:"Compare the speed of efoc with that of an implementation in PyTorch."`
	Graph synthetic.Graph   `cmd:"" help:"Write a graph made up, of any size, in splits, to train on or, with embeddings, to import."`
	AnyCQ anycq.Command     `cmd:"" name:"anycq" help:"Evaluate a model on the benchmarks of AnyCQ: large questions, some of several free variables."`
	MCP   assistant.Command `cmd:"" name:"mcp" help:"Measure the answers that an assistant gets, and their length."`
}

// name and description belong to the program.
const (
	name        = "bench"
	description = "Measurements for the developers of efoc."
)

func main() { cli.Main(name, description, &commands{}) }
