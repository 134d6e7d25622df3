package main

import (
	"context"
	"fmt"
	"math"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/importer"
)

// fullGraph is the graph that answers are judged by.
type fullGraph struct {
	eval.GraphInfo
	// graphs are those whose union it is.
	graphs []*runtime.Graph
}

// openFullGraph reads the graph at path, or takes the facts that the model holds
// back; without either it is nil.
func openFullGraph(a *app, path string, m *openModel) (*fullGraph, error) {
	if path != "" {
		bar := newBar(a.stderr)
		g, err := importer.FullGraph(a.ctx, path, m.Model, bar.show)
		bar.clear()
		if err != nil {
			return nil, err
		}
		return &fullGraph{eval.GraphInfo{Name: path, Facts: g.NumTriples()}, []*runtime.Graph{g}}, nil
	}
	if m.Heldout == nil {
		return nil, nil
	}
	name := m.Manifest.Visible + " and what the model holds back"
	return &fullGraph{eval.GraphInfo{Name: name, Facts: m.Manifest.Triples + m.Manifest.Heldout}, []*runtime.Graph{m.Graph, m.Heldout}}, nil
}

// oracle answers from the full graph.
func (g *fullGraph) oracle() *eval.Oracle { return &eval.Oracle{Entails: g.entails} }

// entails looks for a derivation of each answer.
func (g *fullGraph) entails(ctx context.Context, patterns []runtime.Pattern, b runtime.Bindings, answers []int32) ([]bool, error) {
	holds := make([]bool, len(answers))
	for i, e := range answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := range patterns {
			h, complete := runtime.Holds(g.graphs, &patterns[k], b, runtime.EntityID(e), math.MaxInt)
			if !complete {
				return nil, fmt.Errorf("entity %d: the pattern is too large for an exact check: use --filter released", e)
			}
			holds[i] = holds[i] || h
		}
	}
	return holds, nil
}
