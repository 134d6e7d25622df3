package importer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// A bundle may stand in the place of a checkpoint: its embeddings, names and settings then
// make a model with the facts of the graph, which go by its names.

// IsBundle reports whether the file at path begins as a bundle does.
func IsBundle(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 64)
	n, _ := io.ReadFull(f, start)
	return model.LooksLikeBundle(start[:n])
}

// openBundle opens the bundle that the options name as a checkpoint.
func (im *importer) openBundle() (err error) {
	o := &im.options
	if o.Entities+o.Relations+o.EntityRows+o.RelationRows+o.EntityTensor != "" || o.Layout != (Layout{}) {
		return fmt.Errorf("%s is a bundle, which has its own names and layout: leave out the tables of names and rows, the tensors and the layout", o.Checkpoint)
	}
	im.bundle, err = model.Open(o.Checkpoint, model.Mapped())
	return err
}

// table returns the names of a bundle as an id table.
func table(kind string, names *model.Names) *idTable {
	t := &idTable{kind: kind, names: make([]string, names.Len()), ids: make(map[string]int32, names.Len()), known: names}
	for id := range t.names {
		t.names[id] = names.Name(int32(id))
		t.ids[t.names[id]] = int32(id)
	}
	return t
}

// takeNames has the triples read by the names of the bundle.
func (im *importer) takeNames(g *graphData) {
	g.entities.ids, g.relations.ids = table("entity", im.bundle.Entities), table("relation", im.bundle.Relations)
	g.entities.count, g.relations.count = im.bundle.Entities.Len(), im.bundle.Relations.Len()
	g.reader.entities, g.reader.relations = g.entities.ids, g.relations.ids
}

// agrees reports a folder with ids of its own that are not those of the bundle.
func (im *importer) agrees(g *graphData) error {
	for i, names := range []*model.Names{im.bundle.Entities, im.bundle.Relations} {
		v := g.both()[i]
		if v.count != names.Len() {
			return fmt.Errorf("%s has %d %s, and %s %d: their ids are not the same; give facts by names",
				im.options.Graph, v.count, v.plural, im.options.Checkpoint, names.Len())
		}
		for id := range v.count {
			if v.ids != nil && !names.Numbered() && v.name(id) != names.Name(int32(id)) {
				return fmt.Errorf("%s %d is %q in %s, and %q in %s: their ids are not the same; give facts by names",
					v.kind, id, v.name(id), im.options.Graph, names.Name(int32(id)), im.options.Checkpoint)
			}
		}
	}
	return nil
}

// withFacts returns the model of the bundle with the facts of the graph.
func (im *importer) withFacts(ctx context.Context, g *graphData) (*model.Model, error) {
	old, o := im.bundle, &im.options
	n, relations := old.NumEntities(), old.NumRelations()/2
	visible, err := model.NewGraph(n, relations, g.triples)
	var heldout *model.Graph
	if err == nil && g.heldout != nil {
		heldout, err = model.NewGraph(n, relations, g.heldout)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Graph, err)
	}
	manifest := old.Manifest
	manifest.Name, manifest.Description = cmp.Or(o.Name, manifest.Name), cmp.Or(o.Description, manifest.Description)
	manifest.TypeRelation, manifest.Visible = cmp.Or(o.TypeRelation, manifest.TypeRelation), g.visible
	manifest.Heldout = 0
	if manifest.Confidence != nil {
		manifest.Confidence = nil
		o.Note("confidence was measured with other facts, and is left out: efoc calibrate measures it again")
	}
	kept := slices.DeleteFunc(slices.Clone(manifest.Sources), func(s model.Source) bool { return s.Role != "checkpoint" })
	im.sources = append(im.sources, kept...)
	if err := im.addSource(ctx, "embeddings", o.Checkpoint); err != nil {
		return nil, err
	}
	manifest.Sources = im.sources
	return model.New(manifest, visible, heldout, old.Predictor, old.Entities, old.Relations)
}
