package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

type importer struct {
	options Options
	sources []model.Source
	// numberNames allows numbers as names: no checkpoint has rows for them.
	numberNames bool
}

// Import reads the graph and the checkpoint, checks that they match, saves the bundle, opens it again, and returns
// its manifest. An error, or the end of ctx, leaves no new bundle; an existing bundle stays.
func Import(ctx context.Context, o Options) (_ *model.Manifest, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("import: %w", err)
		}
	}()
	if err := o.complete(); err != nil {
		return nil, err
	}
	im := &importer{options: o}
	g, err := im.readGraph(ctx)
	if err != nil {
		return nil, err
	}
	valid, err := im.readValid(ctx, g)
	if err != nil {
		return nil, err
	}
	if err := im.write(ctx, g, valid); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // the saved model is checked in a new copy
	saved, err := model.Open(o.Output, model.Mapped())
	if err != nil {
		return nil, err
	}
	manifest := saved.Manifest
	return &manifest, saved.Close()
}

// write saves the model of a graph, and drops the graph's facts and names.
func (im *importer) write(ctx context.Context, g *graphData, valid []graph.Triple) error {
	m, err := im.model(ctx, g)
	if err != nil {
		return err
	}
	m, err = m.WithValues(g.values)
	if err != nil {
		return err
	}
	if err := im.calibrate(ctx, m, valid); err != nil {
		return err
	}
	return model.Save(ctx, im.options.Output, m, func(written, total int64) { im.options.Progress(StageWrite, written, total) })
}

func (im *importer) model(ctx context.Context, g *graphData) (m *model.Model, err error) {
	var list []*checkpoint
	defer func() {
		for _, c := range list {
			err = errors.Join(err, c.file.Close())
		}
	}()
	for _, path := range im.options.Checkpoints {
		c, err := im.openCheckpoint(ctx, path)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		if err := im.match(ctx, g, c, path); err != nil {
			return nil, err
		}
	}
	entities, relations, err := g.names()
	if err != nil {
		return nil, err
	}
	g.values = im.values(g)
	manifest := im.manifest(g)
	// The id tables are obsolete, and reading leaves much garbage.
	g.entities.ids, g.relations.ids, g.form, g.sink = nil, nil, nil, graphSink{}
	debug.FreeOSMemory()
	visible, err := graph.New(g.entities.count, g.relations.count, g.triples)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.options.Graph, err)
	}
	var heldout *graph.Graph
	if g.heldout != nil {
		heldout, err = graph.New(g.entities.count, g.relations.count, g.heldout)
		if err != nil {
			return nil, fmt.Errorf("heldout facts: %w", err)
		}
	}
	g.triples = nil
	g.heldout = nil // the graphs have them
	debug.FreeOSMemory()
	p, err := im.predictor(ctx, visible, list)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		manifest.Reciprocal = manifest.Reciprocal || c.layout.Inverse != inverseNone
	}
	manifest.Sources = im.sources
	return model.New(manifest, visible, heldout, *p, entities, relations)
}

// manifest returns the manifest, without properties of the tables.
func (im *importer) manifest(g *graphData) model.Manifest {
	o := &im.options
	prefixes, literals := g.rdf()
	return model.Manifest{
		Name: o.name(), Description: o.Description, TypeRelation: o.TypeRelation, Prefixes: prefixes, Literals: literals,
		Settings: o.Settings, Visible: g.visible,
	}
}

func (o *Options) name() string {
	graph := o.Graph
	if full, err := filepath.Abs(graph); err == nil {
		graph = full
	}
	name, _, _ := strings.Cut(filepath.Base(graph), ".")
	return cmp.Or(o.Name, name)
}

// match finds the tables of the checkpoint at path and compares them with the graph.
func (im *importer) match(ctx context.Context, g *graphData, c *checkpoint, path string) (err error) {
	c.pair, err = c.tables(im.options.EntityTensor, im.options.RelationTensor)
	if err != nil {
		return err
	}
	c.entities, err = im.readRows(ctx, &g.entities, path)
	if err != nil {
		return err
	}
	c.relations, err = im.readRows(ctx, &g.relations, path)
	if err != nil {
		return err
	}
	c.inverses, err = g.fit(c, im.options.Layout)
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	return nil
}

// fit compares the shapes of the tables with the graph and returns the possible arrangements of inverse relations. If
// only the triples are known, it sets the graph's counts.
func (g *graphData) fit(c *checkpoint, stated Layout) ([]Inverse, error) {
	pair := &c.pair
	entity := pair.entity
	relation := pair.relation
	for _, t := range []candidate{entity, relation} {
		if len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0 {
			return nil, fmt.Errorf("tensor %q has shape %v, want rows of numbers", t.name, t.shape)
		}
	}
	if len(pair.parts(stated.Parts)) == 0 {
		return nil, fmt.Errorf("tensors %q and %q are %d and %d wide, which %s has not", entity.name, relation.name, entity.shape[1], relation.shape[1], cmp.Or(pair.scorer, "none of "+takenScorers))
	}
	if g.entities.count == 0 {
		if err := g.countRows(entity, relation, stated.Inverse); err != nil {
			return nil, err
		}
		c.entities.count = g.entities.count
		c.relations.count = g.relations.count
	}
	if o := &c.entities; entity.shape[0] != o.count {
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d entities", entity.name, entity.shape[0], o.has(), o.count)
	}
	have := relation.shape[0]
	o := &c.relations
	switch {
	case o.directed && have == o.count:
		return []Inverse{inverseXOR}, nil
	case !o.directed && have == 2*o.count:
		return []Inverse{inverseXOR, inverseOffset}, nil
	case !o.directed && have == o.count:
		return []Inverse{inverseNone}, nil
	case o.directed:
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations with their inverses", relation.name, have, o.has(), o.count)
	}
	return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations: want %d rows, or %d with inverses",
		relation.name, have, o.has(), o.count, o.count, 2*o.count)
}

// countRows takes the counts of a graph of ids from the checkpoint.
func (g *graphData) countRows(entity, relation candidate, stated Inverse) error {
	for i, t := range []candidate{entity, relation} {
		v := g.both()[i]
		v.count = t.shape[0]
		if int(v.top.id) >= v.count {
			err := fmt.Errorf("%s %d is out of range: tensor %q has %d rows", v.kind, v.top.id, t.name, v.count)
			return &lineError{v.top.file, v.top.line, err}
		}
	}
	if r := &g.relations; r.count%2 == 0 && int(r.top.id) < r.count/2 && stated != inverseNone {
		r.count /= 2
	}
	return nil
}
