package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/names"
)

// openFullGraph reads the graph in a folder, one split of which the queries hold out, or adds the model's held-back
// facts to its own; without either it is nil.
func openFullGraph(a *app, folder, split string, how graphFlags, m *openModel) (*eval.FullGraph, error) {
	switch {
	case folder != "":
		s, err := readSplits(a, folder, how, m)
		if err != nil {
			return nil, err
		}
		full, err := graph.New(m.NumEntities(), m.NumRelations()/2, slices.Concat(s.Train, s.Valid, s.Test))
		if err != nil {
			return nil, fmt.Errorf("%s: not the graph of the model: %w", folder, err)
		}
		g := eval.NewFullGraph(folder, m.Bundle().Graph, full)
		heldOut := map[string][]graph.Triple{"valid": s.Valid, "test": s.Test}[split]
		g.HeldOut, err = calibrate.Share(m.Bundle().Graph, heldOut)
		return g, err
	case m.Bundle().Heldout != nil:
		full, err := exact.Union(m.Bundle().Graph, m.Bundle().Heldout)
		if err != nil {
			return nil, err
		}
		return eval.NewFullGraph(strings.TrimSpace(m.Bundle().Manifest.Visible+" and what the model holds back"), m.Bundle().Graph, full), nil
	}
	return nil, nil
}

// readSplits reads a folder and numbers its names like the model's.
func readSplits(a *app, folder string, how graphFlags, m *openModel) (*importer.Dataset, error) {
	options := how.importOptions(a, folder)
	options.MaxEntities, options.MaxRelations = m.NumEntities(), m.NumRelations()/2
	s, err := importer.ReadDataset(a.ctx, options, importer.SplitFiles{})
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		things       string
		table, model *names.Names
	}{{"entities", s.Entities, m.Bundle().Entities}, {"relations", s.Relations, m.Bundle().Relations}} {
		numbered := c.table.Numbered() || c.model.Numbered()
		got := c.table.Len()
		want := c.model.Len()
		switch {
		case numbered && got > want:
			return nil, fmt.Errorf("%s: not the graph of the model: it has number %d of the %s, the model has 0 to %d", folder, got-1, c.things, want-1)
		case numbered:
			continue
		case got != want:
			return nil, fmt.Errorf("%s: not the graph of the model: it has %d %s, the model has %d", folder, got, c.things, want)
		}
		for id := range int32(c.table.Len()) {
			if got, want := c.table.Name(id), c.model.Name(id); got != want {
				return nil, fmt.Errorf("%s: not the graph of the model: number %d of the %s is %q, in the model %q", folder, id, c.things, got, want)
			}
		}
	}
	return s, nil
}
