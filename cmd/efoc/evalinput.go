package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/importer"
)

// fullGraph is the graph that answers are judged by, with the one that plans see.
type fullGraph struct {
	eval.GraphInfo
	visible, full *model.Graph
	solvers       sync.Pool // of *exact.Solver
}

// openFullGraph reads the graph in a folder, or takes the facts that the model
// holds back besides its own; without either it is nil.
func openFullGraph(a *app, folder string, how graphFlags, m *openModel) (*fullGraph, error) {
	g := &fullGraph{visible: m.Graph, solvers: sync.Pool{New: func() any { return &exact.Solver{} }}}
	var err error
	switch {
	case folder != "":
		g.Name = folder
		var s *importer.Dataset
		if s, err = readSplits(a, folder, how, m); err != nil {
			return nil, err
		}
		if g.full, err = model.NewGraph(m.NumEntities(), m.NumRelations()/2, slices.Concat(s.Train, s.Valid, s.Test)); err != nil {
			err = fmt.Errorf("%s: not the graph of the model: %w", folder, err)
		}
	case m.Heldout != nil:
		g.Name = strings.TrimSpace(m.Manifest.Visible + " and what the model holds back")
		g.full, err = exact.Union(m.Graph, m.Heldout)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g.Facts = g.full.NumTriples()
	return g, nil
}

// readSplits reads a folder, whose names must be numbered as the model's.
func readSplits(a *app, folder string, how graphFlags, m *openModel) (*importer.Dataset, error) {
	options := how.importOptions(a, folder)
	options.MaxEntities, options.MaxRelations = m.NumEntities(), m.NumRelations()/2
	s, err := importer.ReadDataset(a.ctx, options, importer.SplitFiles{})
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		things       string
		table, model *model.Names
	}{{"entities", s.Entities, m.Entities}, {"relations", s.Relations, m.Relations}} {
		numbered, got, want := c.table.Numbered() || c.model.Numbered(), c.table.Len(), c.model.Len()
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

// solver returns a solver for a question, which is to be given back.
func (g *fullGraph) solver(q eval.Question) *exact.Solver {
	s := g.solvers.Get().(*exact.Solver)
	s.Reading = exact.Existential
	if strings.HasSuffix(q.Group, "-"+string(exact.Universal)) {
		s.Reading = exact.Universal
	}
	return s
}

// entails looks the answers up among all that there are.
func (g *fullGraph) entails(ctx context.Context, q eval.Question, answers []int32) ([]bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := g.solver(q)
	defer g.solvers.Put(s)
	all, err := s.Answers(g.full, q.Patterns, q.Bindings)
	if err != nil {
		return nil, fmt.Errorf("%w: use --filter released", err)
	}
	holds := make([]bool, len(answers))
	for i, e := range answers {
		_, holds[i] = slices.BinarySearch(all, e)
	}
	return holds, nil
}

// misses counts the links that the visible graph lacks; a query that takes too
// much work has no counts.
func (g *fullGraph) misses(ctx context.Context, q eval.Question, answers []int32) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := g.solver(q)
	defer g.solvers.Put(s)
	counts, err := s.Misses(g.visible, g.full, q.Patterns, q.Bindings, answers)
	if errors.Is(err, exact.ErrBudget) {
		return nil, nil
	}
	if i := slices.Index(counts, -1); err == nil && i >= 0 {
		return nil, eval.NotEntailed(answers[i])
	}
	return counts, err
}
