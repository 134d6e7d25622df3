package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime"
)

// splits are the parts of a graph, as files name them.
var splits = []string{"train", "valid", "test"}

// FullGraph reads the whole graph that the queries of a benchmark are made from:
// train, valid and test of a folder, or one file of triples. Ids must be those of
// the model m; names are compared with its names. progress, which may be nil, is
// told of the lines read.
func FullGraph(ctx context.Context, path string, m *runtime.Model, progress func(stage string, done, total int64)) (*runtime.Graph, error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	im := &importer{options: Options{Graph: path, Progress: progress}}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	folder, file := path, ""
	if !info.IsDir() {
		folder, file = filepath.Dir(path), path
	}
	g, train, err := im.layoutOf(ctx, folder, file)
	if err != nil {
		return nil, err
	}
	if err := g.sameNames(m); err != nil {
		return nil, fmt.Errorf("%s: not the graph of the model: %w", path, err)
	}
	files := []string{train}
	if file == "" {
		if files, err = splitFiles(train); err != nil {
			return nil, err
		}
	}
	for _, name := range files {
		part, err := im.readTriples(ctx, name, "graph", g.newReader())
		if err != nil {
			return nil, err
		}
		g.triples = append(g.triples, part...)
	}
	if g.relations == 0 {
		// Ids are all there is: see readGraph.
		if folded, ok := foldMirrored(slices.Clone(g.triples)); ok {
			g.triples = folded
		}
	}
	full, err := runtime.NewGraph(m.NumEntities(), m.NumRelations()/2, g.triples)
	if err != nil {
		return nil, fmt.Errorf("%s: not the graph of the model: %w", path, err)
	}
	return full, nil
}

// splitFiles returns the files beside that of the train split, one at least.
func splitFiles(train string) ([]string, error) {
	folder, base := filepath.Split(train)
	var files []string
	for _, split := range splits {
		if name := strings.Replace(base, "train", split, 1); exists(folder, name) {
			files = append(files, filepath.Join(folder, name))
		}
	}
	if len(files) < 2 {
		return nil, fmt.Errorf("%s: no further splits beside %s: the full graph needs those that the queries are made from, %s", folder, base, strings.Replace(base, "train", "test", 1))
	}
	return files, nil
}

// sameNames compares sizes and names, where there are any, with those of a model.
func (g *graphData) sameNames(m *runtime.Model) error {
	for _, c := range []struct {
		things string
		table  *idTable
		count  int
		names  *runtime.Names
	}{{"entities", g.entities, g.n, m.Entities}, {"relations", g.relationNames, g.relations, m.Relations}} {
		if c.count != 0 && c.count != c.names.Len() {
			return fmt.Errorf("it has %d %s, the model has %d", c.count, c.things, c.names.Len())
		}
		if c.table == nil || c.names.Numbered() {
			continue
		}
		for id, name := range c.table.names {
			if want := c.names.Name(int32(id)); name != want {
				return fmt.Errorf("%s %d is %q, in the model %q", c.table.kind, id, name, want)
			}
		}
	}
	return nil
}
