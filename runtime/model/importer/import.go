package importer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/efoc/efoc/runtime/model"
)

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
	if err := im.write(ctx); err != nil {
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

// write saves the model of the graph and the checkpoints.
func (im *importer) write(ctx context.Context) error {
	g, err := im.readGraph(ctx)
	if err != nil {
		return err
	}
	valid, err := im.readValid(ctx, g)
	if err != nil {
		return err
	}
	m, err := im.model(ctx, g)
	if err != nil {
		return err
	}
	if err := im.calibrate(ctx, m, valid); err != nil {
		return err
	}
	return model.Save(ctx, im.options.Output, m, func(written, total int64) { im.options.Progress(stageWrite, written, total) })
}

// model returns the model of a graph and the checkpoints, and drops the graph.
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
	d, err := im.dataset(g)
	if err != nil {
		return nil, err
	}
	// The id tables are obsolete, and reading leaves much garbage.
	*g = graphData{}
	debug.FreeOSMemory()
	visible, heldout, err := d.graphs()
	if err != nil {
		return nil, err
	}
	// The graphs have the facts.
	d.Train = nil
	d.Heldout = nil
	debug.FreeOSMemory()
	p, err := im.predictor(ctx, visible, list)
	if err != nil {
		return nil, err
	}
	o := &im.options
	manifest := model.Manifest{Description: o.Description, TypeRelation: o.TypeRelation, Settings: o.Settings}
	for _, c := range list {
		manifest.Reciprocal = manifest.Reciprocal || c.layout.Inverse != inverseNone
	}
	return d.model(manifest, visible, heldout, *p)
}
