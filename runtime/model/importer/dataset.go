package importer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// Dataset is a graph without embeddings, for training and testing a link predictor.
type Dataset struct {
	// Train are the facts of the observed graph, Valid and Test those that the files of these splits add, Heldout
	// those that a bundle holds back; nil without a file. Without a test file Test is Heldout.
	Train, Valid, Test, Heldout []graph.Triple
	// Entities and Relations are the names.
	Entities, Relations *names.Names
	// Prefixes are declared in RDF files. Literals counts, by relation, the skipped statements about literals.
	Prefixes map[string]string
	Literals map[string]int
	// Values are the numbers and dates of entities.
	Values []values.AttributeValues
	// Name is the name in the options, or the folder's. Visible names the split of the observed graph.
	Name, Visible string
	// Sources are the files that were read.
	Sources []model.Source
}

// SplitFiles name files of further facts. By default they are searched for beside the training triples, under the
// names usual in the folder's layout.
type SplitFiles struct{ Valid, Test string }

// ReadDataset reads the graph and its splits. It uses only the options of the graph. Without a table, names get ids
// in order of appearance.
func ReadDataset(ctx context.Context, o Options, splits SplitFiles) (_ *Dataset, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read graph: %w", err)
		}
	}()
	if err := o.completeGraph(); err != nil {
		return nil, err
	}
	im := &importer{options: o, numberNames: true}
	g, err := im.readGraph(ctx)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Train: g.triples, Heldout: g.heldout, Name: o.name(), Visible: g.visible}
	if info, err := os.Stat(o.Graph); err == nil && info.IsDir() {
		splits.Valid = cmp.Or(splits.Valid, siblingOf(g.file, "valid"))
		splits.Test = cmp.Or(splits.Test, siblingOf(g.file, "test"))
	}
	for _, s := range []struct {
		path, role string
		into       *[]graph.Triple
	}{{splits.Valid, roleValid, &d.Valid}, {splits.Test, roleTest, &d.Test}} {
		if s.path == "" {
			continue
		}
		to := g.sink
		facts, err := im.readTriples(ctx, g, s.path, s.role, &to)
		if err != nil {
			return nil, err
		}
		// Some layouts repeat the earlier splits.
		*s.into = without(without(facts, d.Train), d.Valid)
		g.see(*s.into)
	}
	if d.Test == nil {
		d.Test = d.Heldout
	}
	for _, v := range g.both() {
		switch {
		case v.ids != nil:
			v.count = len(v.ids.names)
		case v.count == 0:
			v.count = int(v.top.id) + 1
		}
	}
	d.Entities, d.Relations, err = g.names()
	if err != nil {
		return nil, err
	}
	d.Sources = im.sources
	d.Prefixes, d.Literals = g.rdf()
	d.Values = im.values(g)
	return d, nil
}

// see raises the largest ids to those in triples.
func (g *graphData) see(triples []graph.Triple) {
	for _, t := range triples {
		g.entities.top.id = max(g.entities.top.id, int32(t.Head), int32(t.Tail))
		g.relations.top.id = max(g.relations.top.id, t.Relation)
	}
}

// siblingOf returns the file of another split beside the file of the training triples, compressed or not, or nothing.
func siblingOf(train, split string) string {
	return firstFile(filepath.Dir(train), []string{split + strings.TrimPrefix(plainName(train), "train")})
}

// Graph returns the graph of some facts of the dataset.
func (d *Dataset) Graph(facts ...[]graph.Triple) (*graph.Graph, error) {
	var all []graph.Triple
	for _, list := range facts {
		all = append(all, list...)
	}
	return graph.New(d.Entities.Len(), d.Relations.Len(), all)
}

// Model returns the bundle's model of the dataset and embeddings with rows for inverse relations. It keeps the
// manifest's description and settings.
func (d *Dataset) Model(p model.Predictor, m model.Manifest) (*model.Model, error) {
	visible, err := d.Graph(d.Train)
	if err != nil {
		return nil, err
	}
	var heldout *graph.Graph
	if d.Heldout != nil {
		heldout, err = d.Graph(d.Heldout)
		if err != nil {
			return nil, err
		}
	}
	m.Name, m.Visible, m.Reciprocal = d.Name, d.Visible, true
	m.Prefixes, m.Literals = d.Prefixes, d.Literals
	m.Sources = append(m.Sources, d.Sources...)
	made, err := model.New(m, visible, heldout, p, d.Entities, d.Relations)
	if err != nil {
		return nil, err
	}
	return made.WithValues(d.Values)
}

// Unseen lists the relations, and counts the entities, without facts in the observed graph: nothing can be learnt
// about them.
func (d *Dataset) Unseen() (relations []int32, entities int) {
	seen := make([]bool, d.Relations.Len())
	used := make([]bool, d.Entities.Len())
	for _, t := range d.Train {
		seen[t.Relation] = true
		used[t.Head] = true
		used[t.Tail] = true
	}
	for r, ok := range seen {
		if !ok {
			relations = append(relations, int32(r))
		}
	}
	for _, ok := range used {
		if !ok {
			entities++
		}
	}
	return relations, entities
}
