package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// FullGraph is the graph for judging answers, with the visible graph of plans.
type FullGraph struct {
	GraphInfo
	// HeldOut is the share of facts held out for the queries, among these and the visible ones; 0 means the share
	// held out to fit confidence.
	HeldOut       float64
	visible, full *graph.Graph
	solvers       sync.Pool // of *exact.Solver
}

// NewFullGraph returns a full graph with the given name, which contains the visible graph.
func NewFullGraph(name string, visible, full *graph.Graph) *FullGraph {
	return &FullGraph{
		GraphInfo: GraphInfo{Name: name, Facts: full.NumTriples()},
		visible:   visible, full: full, solvers: sync.Pool{New: func() any { return &exact.Solver{} }},
	}
}

// question is a query on the graphs. The name of its group may determine its reading.
type question struct {
	group    string
	patterns []scq.Disjunct
	bindings scq.Bindings
}

// solver returns a solver for a question, to be returned to the pool.
func (g *FullGraph) solver(q question) *exact.Solver {
	s := g.solvers.Get().(*exact.Solver)
	s.Reading = exact.Existential
	if strings.HasSuffix(q.group, "-"+string(exact.Universal)) {
		s.Reading = exact.Universal
	}
	return s
}

// entailed returns the easy answers that the full graph entails. If it does not entail the first hard answer, it is
// not the graph of the queries.
func (g *FullGraph) entailed(ctx context.Context, question question, q queryset.Case) ([]int32, error) {
	if err := ctx.Err(); err != nil || len(q.Hard) == 0 {
		return nil, err
	}
	s := g.solver(question)
	defer g.solvers.Put(s)
	all, err := s.Answers(g.full, question.patterns, question.bindings)
	if err != nil {
		return nil, fmt.Errorf("%w: use --filter released", err)
	}
	lacks := func(e int32) bool { _, there := slices.BinarySearch(all, e); return !there }
	if lacks(q.Hard[0]) {
		return nil, notEntailed(q.Hard[0])
	}
	return slices.DeleteFunc(slices.Clone(q.Easy), lacks), nil
}

// misses returns for each hard answer the minimum number of links in a derivation in the full graph that the visible
// graph lacks; a query that takes too much work has no counts.
func (g *FullGraph) misses(ctx context.Context, question question, q queryset.Case) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := g.solver(question)
	defer g.solvers.Put(s)
	counts, err := s.Misses(g.visible, g.full, question.patterns, question.bindings, q.Hard)
	if errors.Is(err, exact.ErrBudget) {
		return nil, nil
	}
	if i := slices.Index(counts, -1); err == nil && i >= 0 {
		return nil, notEntailed(q.Hard[i])
	}
	return counts, err
}

// notEntailed returns the error for a hard answer that the full graph does not
// entail.
func notEntailed(answer int32) error {
	return fmt.Errorf("the full graph does not entail the hard answer %d: is it the graph that the queries were made with?", answer)
}
