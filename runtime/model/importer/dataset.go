package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// Dataset is a graph without embeddings, for training and testing a link predictor.
type Dataset struct {
	// Train holds the facts of the observed graph, Valid and Test the further facts of these splits, Heldout the facts
	// that a bundle holds back; a list is nil without its file. Without a test file, Test is Heldout.
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
	im := &importer{options: o}
	g, err := im.readGraph(ctx)
	if err != nil {
		return nil, err
	}
	var further [2][]graph.Triple
	for i, split := range []struct{ path, role string }{{splits.Valid, roleValid}, {splits.Test, roleTest}} {
		path := cmp.Or(split.path, g.sibling(split.role))
		if path == "" {
			continue
		}
		s, err := im.readTriples(ctx, g, path, split.role)
		if err != nil {
			return nil, err
		}
		// Some layouts repeat the earlier splits.
		further[i] = without(without(s.triples, g.triples), further[0])
		g.raise(s, path)
	}
	d, err := im.dataset(g)
	if err != nil {
		return nil, err
	}
	d.Valid, d.Test = further[0], further[1]
	if d.Test == nil {
		d.Test = d.Heldout
	}
	return d, nil
}

// dataset returns the dataset of a graph.
func (im *importer) dataset(g *graphData) (d *Dataset, err error) {
	for _, v := range g.both() {
		switch {
		case v.ids != nil:
			v.count = len(v.ids.names)
			if v.ids.labels == nil {
				v.ids.labels = g.form.labels(v.ids.names)
			}
		case v.count == 0:
			v.count = int(v.top.id) + 1
		}
	}
	d = &Dataset{
		Train: g.triples, Heldout: g.heldout, Name: im.options.name(), Visible: g.visible, Sources: im.sources,
		Prefixes: g.form.prefixes.iris, Literals: g.form.literals.by,
	}
	d.Entities, err = g.entities.names()
	if err != nil {
		return nil, err
	}
	d.Relations, err = g.relations.names()
	if err != nil || g.entities.ids == nil {
		return d, err
	}
	others := 0
	d.Values, others = g.sink.values.resolved(g.entities.ids)
	if others > 0 {
		im.options.Note(fmt.Sprintf("%d values are of entities without facts and were left out", others))
	}
	return d, nil
}

// Graph returns the graph of some facts of the dataset.
func (d *Dataset) Graph(facts ...[]graph.Triple) (*graph.Graph, error) {
	return graph.New(d.Entities.Len(), d.Relations.Len(), slices.Concat(facts...))
}

// graphs returns the observed graph and the graph of the facts held back, which is nil if there are none.
func (d *Dataset) graphs() (visible, heldout *graph.Graph, err error) {
	visible, err = graph.New(d.Entities.Len(), d.Relations.Len(), d.Train)
	if err == nil && d.Heldout != nil {
		heldout, err = graph.New(d.Entities.Len(), d.Relations.Len(), d.Heldout)
	}
	return visible, heldout, err
}

// Model returns the bundle's model of the dataset and embeddings with rows for inverse relations. It keeps the
// manifest's description and settings.
func (d *Dataset) Model(p model.Predictor, m model.Manifest) (*model.Model, error) {
	visible, heldout, err := d.graphs()
	if err != nil {
		return nil, err
	}
	m.Reciprocal = true
	return d.model(m, visible, heldout, p)
}

// model returns the model of the dataset's graphs and embeddings.
func (d *Dataset) model(m model.Manifest, visible, heldout *graph.Graph, p model.Predictor) (*model.Model, error) {
	m.Name, m.Visible = d.Name, d.Visible
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
