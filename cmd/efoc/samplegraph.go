package main

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/importer"
)

// sampleGraphs are the graphs without and with the split that is drawn from.
// small is nil for the training split.
type sampleGraphs struct {
	small, full *model.Graph
	names       lang.Vocabulary
	// model is where the graphs came from, nil for a folder.
	model *openModel
}

// close closes the model; the graphs are of no use then.
func (g *sampleGraphs) close() {
	if g.model != nil {
		g.model.Close()
	}
}

// graphs reads the graphs that the command line names.
func (c *sampleCmd) graphs(a *app, bar *bar) (*sampleGraphs, error) {
	if c.Graph == "" {
		return c.modelGraphs(a)
	}
	s, err := importer.ReadDataset(a.ctx, c.importOptions(a, c.Graph, bar), importer.SplitFiles{})
	if err != nil {
		return nil, err
	}
	var before, split []model.Triple
	switch c.Split {
	case "test":
		before, split = slices.Concat(s.Train, s.Valid), s.Test
	case "valid":
		before, split = s.Train, s.Valid
	default:
		split = s.Train
	}
	if len(split) == 0 {
		return nil, fmt.Errorf("%s has no facts of the %s split", c.Graph, c.Split)
	}
	// A model finds names by its two tables alone.
	g := &sampleGraphs{names: &model.Model{Entities: s.Entities, Relations: s.Relations}}
	if c.Split != "train" {
		if g.small, err = s.Graph(before); err != nil {
			return nil, err
		}
	}
	g.full, err = s.Graph(before, split)
	return g, err
}

// modelGraphs takes the facts of a model, and those that it holds back as the
// test split.
func (c *sampleCmd) modelGraphs(a *app) (*sampleGraphs, error) {
	m, err := c.open(a)
	if err != nil {
		return nil, err
	}
	g := &sampleGraphs{full: m.Graph, names: m.Model, model: m}
	if c.Split == "test" {
		if m.Heldout == nil {
			g.close()
			return nil, fmt.Errorf("model %s holds no facts back: draw from its own with --split train, or from a folder with --graph", c.Model)
		}
		g.small = m.Graph
		g.full, err = exact.Union(m.Graph, m.Heldout)
	}
	return g, err
}
