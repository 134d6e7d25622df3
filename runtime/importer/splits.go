package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime"
)

// Splits is a graph with what a benchmark holds back of it, over one space of
// ids.
type Splits struct {
	// N is the number of entities, Relations is |R|.
	N, Relations int
	// Train are the observed triples. Valid and Test are the further ones of
	// either split; they are nil where the folder lacks them.
	Train, Valid, Test []runtime.Triple
	// Entities and RelationNames hold the names, numbers where there are none.
	Entities, RelationNames *runtime.Names
}

// ReadSplits reads a folder in one of the layouts that Import knows, with
// valid.tsv and test.tsv beside train.tsv, or what the layout calls them; without
// test.tsv heldout.tsv takes its place. Where nothing says how many entities and
// relations there are, the largest ids do. Errors name the file and line.
// progress, if not nil, is told the lines read.
func ReadSplits(ctx context.Context, folder string, progress func(stage string, done, total int64)) (*Splits, error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if info, err := os.Stat(folder); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: want the folder that has train, valid and test", folder)
	}
	im := &importer{options: Options{Graph: folder, Progress: progress}}
	g, file, err := im.layoutOf(ctx, folder, "")
	if err != nil {
		return nil, err
	}
	s := &Splits{}
	if s.Train, err = im.split(ctx, g, file); err != nil {
		return nil, err
	}
	if g.relations == 0 {
		// Nothing says how relations are numbered, but the triples may.
		if folded, ok := foldMirrored(s.Train); ok {
			s.Train, g.topRelation = folded, g.topRelation/2
			g.newReader = func() *tripleReader { return &tripleReader{both: true} }
		}
	}
	if path := siblingOf(file, "valid"); path != "" {
		if s.Valid, err = im.split(ctx, g, path); err != nil {
			return nil, err
		}
		s.Valid = without(s.Valid, s.Train)
	}
	path := siblingOf(file, "test")
	if path == "" {
		path = firstFile(folder, heldoutFiles)
	}
	if path != "" {
		if s.Test, err = im.split(ctx, g, path); err != nil {
			return nil, err
		}
		s.Test = without(without(s.Test, s.Train), s.Valid)
	}
	if s.N, s.Relations = g.n, g.relations; s.N == 0 {
		s.N, s.Relations = int(g.topEntity)+1, int(g.topRelation)+1
		g.n, g.relations = s.N, s.Relations
	}
	s.Entities, s.RelationNames, err = g.names()
	return s, err
}

// split reads one file of triples and notes the largest ids.
func (im *importer) split(ctx context.Context, g *graphData, path string) ([]runtime.Triple, error) {
	r := g.newReader()
	triples, err := im.readTriples(ctx, path, "graph", r)
	if err != nil {
		return nil, err
	}
	top := r.maxRel
	if r.both {
		top /= 2
	}
	g.topEntity, g.topRelation = max(g.topEntity, r.maxEntity), max(g.topRelation, top)
	return triples, nil
}

// siblingOf returns the file that holds another split than the file of the
// training triples, compressed or not, or nothing.
func siblingOf(train, split string) string {
	folder, base := filepath.Split(train)
	base, _ = strings.CutSuffix(split+strings.TrimPrefix(base, "train"), ".gz")
	return firstFile(folder, []string{base, base + ".gz"})
}
