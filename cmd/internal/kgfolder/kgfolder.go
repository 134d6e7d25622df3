// Package kgfolder reads and writes the graphs of benchmark folders: BetaE's
// train.txt, valid.txt and test.txt with stats.txt and pickled names, and FIT's
// cumulative train_kg.tsv, valid_kg.tsv and test_kg.tsv with kgindex.json. It keeps
// ids as they are; it knows neither queries nor models. Making a model of such a
// folder is runtime/importer's.
package kgfolder

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer"
)

// Triple is a head, a directed relation (2i is relation i, 2i+1 its inverse) and
// a tail.
type Triple = [3]int32

// compare orders triples.
func compare(a, b Triple) int { return slices.Compare(a[:], b[:]) }

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
	var names string
	switch kind {
	case BetaE:
		names, err = filepath.Join(folder, statsFile), g.readBetaENames(folder)
	case FIT:
		names = filepath.Join(folder, indexFile)
		err = g.readIndex(names)
	default:
		err = fmt.Errorf("%s: no graph: want %s (BetaE) or %s (FIT)", folder, statsFile, indexFile)
	}
	if err != nil {
		return nil, err
	}
	if len(g.Entities) == 0 || len(g.Relations) == 0 || len(g.Relations)%2 != 0 {
		return nil, fmt.Errorf("%s: %d entities and %d directed relations, want some, and relations with their inverses",
			names, len(g.Entities), len(g.Relations))
	}
	for i := range Splits {
		path := splitFile(folder, kind, i)
		g.Triples[i], err = importer.ReadDirected(ctx, path, len(g.Entities), len(g.Relations), func(lines int64) {
			progress("read "+filepath.Base(path), lines, 0)
		})
		if err != nil {
			return nil, err
		}
	}
	if kind == FIT {
		err = g.subtract(ctx, folder)
	}
	return g, err
}

// subtract takes the triples of the splits before out of cumulative ones.
func (g *Graph) subtract(ctx context.Context, folder string) error {
	sorted := func(i int) []Triple { return slices.SortedFunc(slices.Values(g.Triples[i]), compare) }
	for i := len(Splits) - 1; i > 0; i-- {
		all, before := sorted(i), sorted(i-1)
		for _, t := range g.Triples[i-1] {
			if _, ok := slices.BinarySearchFunc(all, t, compare); !ok {
				err := fmt.Errorf("%d %d %d is not in %s: want each file to hold the one before it", t[0], t[1], t[2], splitFile(folder, FIT, i))
				return importer.ErrorAt(ctx, splitFile(folder, FIT, i-1), t, err)
			}
		}
		g.Triples[i] = slices.DeleteFunc(g.Triples[i], func(t Triple) bool {
			_, ok := slices.BinarySearchFunc(before, t, compare)
			return ok
		})
	}
	return nil
}

// splitFile is the path of a split's triples.
func splitFile(folder string, kind Kind, split int) string {
	if kind == FIT {
		return filepath.Join(folder, Splits[split]+"_kg.tsv")
	}
	return filepath.Join(folder, Splits[split]+".txt")
}

// Write writes the graph into a folder in a layout.
func (g *Graph) Write(ctx context.Context, folder string, kind Kind, progress Progress) error {
	write := g.writeIndex
	if kind == BetaE {
		write = g.writeBetaENames
	}
	if err := write(folder); err != nil {
		return err
	}
	var list []Triple
	for i := range Splits {
		if kind == BetaE {
			list = nil
		}
		list = append(list, g.Triples[i]...)
		if err := writeTriples(ctx, splitFile(folder, kind, i), list, progress); err != nil {
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// pace is the number of triples between two checks of the context.
const pace = 1 << 15

// writeTriples writes lines of head, directed relation and tail.
func writeTriples(ctx context.Context, path string, list []Triple, progress Progress) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		var line []byte
		for i, t := range list {
			if i%pace == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				progress("write "+filepath.Base(path), int64(i), int64(len(list)))
			}
			line = line[:0]
			for _, id := range t {
				line = append(strconv.AppendInt(line, int64(id), 10), '\t')
			}
			line[len(line)-1] = '\n'
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
