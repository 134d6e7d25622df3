// Package kgfolder reads and writes the graphs of benchmark folders: BetaE's
// train.txt, valid.txt and test.txt with stats.txt and pickled names, and FIT's
// cumulative train_kg.tsv, valid_kg.tsv and test_kg.tsv with kgindex.json. It keeps
// ids as they are; it knows neither queries nor models. Making a model of such a
// folder is runtime/importer's.
package kgfolder

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime/model/importer"
)

// Triple is a head, a directed relation (2i is relation i, 2i+1 its inverse) and
// a tail.
type Triple = [3]int32

// compare orders triples.
func compare(a, b Triple) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}

// Splits are the parts of a graph, in the order in which they add up.
var Splits = []string{"train", "valid", "test"}

// Graph is a benchmark's graph.
type Graph struct {
	// Entities and Relations are the names by id; relations are directed.
	Entities, Relations []string
	// Triples of each split, in the order of Splits, without those of the splits
	// before it.
	Triples [3][]Triple
}

// Kind is a layout of a folder.
type Kind string

// The layouts.
const (
	None  Kind = ""
	BetaE Kind = "betae"
	FIT   Kind = "fit"
)

// KindOf says in which layout a folder has a graph.
func KindOf(folder string) Kind {
	switch {
	case exists(filepath.Join(folder, indexFile)):
		return FIT
	case exists(filepath.Join(folder, statsFile)):
		return BetaE
	}
	return None
}

// Progress is told how many lines of which file are done.
type Progress func(stage string, done, total int64)

// Read reads the graph of a folder. Errors name the file and line.
func Read(ctx context.Context, folder string, progress Progress) (*Graph, error) {
	g := &Graph{}
	kind := KindOf(folder)
	var err error
	switch kind {
	case BetaE:
		err = g.readBetaENames(folder)
	case FIT:
		err = g.readIndex(filepath.Join(folder, indexFile))
	default:
		err = fmt.Errorf("%s: no graph: want %s (BetaE) or %s (FIT)", folder, statsFile, indexFile)
	}
	if err != nil {
		return nil, err
	}
	for i, split := range Splits {
		path := filepath.Join(folder, split+".txt")
		if kind == FIT {
			path = cumulative(folder, i)
		}
		if g.Triples[i], err = g.readTriples(ctx, path, progress); err != nil {
			return nil, err
		}
	}
	if kind == FIT {
		return g, g.subtract(ctx, folder)
	}
	return g, nil
}

// subtract takes the triples of the splits before out of cumulative ones.
func (g *Graph) subtract(ctx context.Context, folder string) error {
	for i := len(Splits) - 1; i > 0; i-- {
		all := slices.SortedFunc(slices.Values(g.Triples[i]), compare)
		for _, t := range g.Triples[i-1] {
			if _, ok := slices.BinarySearchFunc(all, t, compare); !ok {
				return importer.ErrorAt(ctx, cumulative(folder, i-1), t,
					fmt.Errorf("%d %d %d is not in %s: want each file to hold the one before it", t[0], t[1], t[2], cumulative(folder, i)))
			}
		}
		before := slices.SortedFunc(slices.Values(g.Triples[i-1]), compare)
		g.Triples[i] = slices.DeleteFunc(g.Triples[i], func(t Triple) bool {
			_, ok := slices.BinarySearchFunc(before, t, compare)
			return ok
		})
	}
	return nil
}

// cumulative is the path of a split in FIT's layout.
func cumulative(folder string, split int) string {
	return filepath.Join(folder, Splits[split]+"_kg.tsv")
}

// Write writes the graph into a folder in a layout.
func (g *Graph) Write(ctx context.Context, folder string, kind Kind, progress Progress) error {
	names, file := g.writeIndex, func(split string) string { return split + "_kg.tsv" }
	if kind == BetaE {
		names, file = g.writeBetaENames, func(split string) string { return split + ".txt" }
	}
	if err := names(folder); err != nil {
		return err
	}
	var list []Triple
	for i, split := range Splits {
		if kind == BetaE {
			list = nil
		}
		list = append(list, g.Triples[i]...)
		if err := writeTriples(ctx, filepath.Join(folder, file(split)), list, progress); err != nil {
			return err
		}
	}
	return nil
}

// setName enters a name in a table of n at most.
func setName(table []string, kind string, id int32, name string) error {
	switch {
	case id < 0 || int(id) >= len(table):
		return fmt.Errorf("%s %q has id %d, want 0 to %d", kind, name, id, len(table)-1)
	case name == "":
		return fmt.Errorf("%s %d has an empty name", kind, id)
	case table[id] != "":
		return fmt.Errorf("%s %d is named %q and %q", kind, id, table[id], name)
	}
	table[id] = name
	return nil
}

// numbered names the ids of a graph without names.
func numbered(n int, name func(i int) string) []string {
	table := make([]string, n)
	for i := range table {
		table[i] = name(i)
	}
	return table
}

// relationName is BetaE's name of a directed relation.
func relationName(i int) string {
	if i%2 == 1 {
		return "-relation/" + strconv.Itoa(i/2)
	}
	return "+relation/" + strconv.Itoa(i/2)
}

func entityName(i int) string { return "entity/" + strconv.Itoa(i) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
