package sample

import (
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Protocol selects the distribution of queries.
type Protocol string

// The protocols.
const (
	// Own is efoc's own distribution, for any formula.
	Own Protocol = ""
	// BetaE is the distribution of the BetaE data sets (Ren and Leskovec 2020), for their 14
	// shapes.
	BetaE Protocol = "betae"
	// FIT is the distribution of the real EFO1 data sets (Yin, Wang and Song 2023) for their ten shapes, and BetaE
	// for the others, whose queries these data sets reuse.
	FIT Protocol = "fit"
)

// Release describes the published test queries over a graph, of both protocols.
type Release struct {
	// MaxHard is the maximum number of hard answers of a query in the released set.
	MaxHard int
	// Queries is the number of distinct queries of each shape.
	Queries int
}

// ReleaseOf returns the release over FB15k, FB15k-237 or NELL995, identified by the graph's size. For other graphs
// Queries is 0, and the limit is FB15k's. The numbers of queries come from create_queries.py.
func ReleaseOf(g *graph.Graph) Release {
	switch [2]int{g.NumEntities(), g.NumRelations() / 2} {
	case [2]int{63361, 200}:
		return Release{MaxHard: 80, Queries: 4000}
	case [2]int{14951, 1345}:
		return Release{MaxHard: 100, Queries: 8000}
	case [2]int{14505, 237}:
		return Release{MaxHard: 100, Queries: 5000}
	}
	return Release{MaxHard: 100}
}

// fitPositive bounds the answers of FIT's queries without their negated atoms, as a multiple of the hard ones.
const fitPositive = 3

// Shapes returns the benchmark shapes of the protocol.
func (p Protocol) Shapes() []string {
	var names []string
	for _, s := range benchmark.Shapes {
		// BetaE's shapes are those that two of the averages include, and pni in its own reading.
		if p != BetaE || s.Group == "P" || s.Group == "N" || s.Name == "pni" {
			names = append(names, s.Name)
		}
	}
	return names
}
