package api

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// maxDrawn bounds the facts of a relation that an example is chosen from.
const maxDrawn = 32

// GraphExamples makes questions of two steps, each from a fact of another relation, the most frequent relations first.
func GraphExamples(m *runtime.Model) (list []Example) {
	g := m.Bundle().Graph
	size := func(r graph.RelationID) int {
		heads, _ := g.Edges(r)
		return len(heads)
	}
	var relations []graph.RelationID
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		relations = append(relations, r)
	}
	slices.SortStableFunc(relations, func(a, b graph.RelationID) int { return cmp.Compare(size(b), size(a)) })
	for _, r := range relations {
		if formula := twoSteps(m, relations, r); formula != "" && len(list) < MaxExamples {
			list = append(list, Example{Title: "two steps", Formula: formula})
		}
	}
	return list
}

// twoSteps extends a fact of a relation by another relation from its tail, the first of the list that has one. It
// returns "" if no fact can be extended.
func twoSteps(m *runtime.Model, relations []graph.RelationID, r graph.RelationID) string {
	g := m.Bundle().Graph
	heads, tails := g.Edges(r)
	n := min(len(heads), maxDrawn)
	for i := range n {
		fact := (2*i + 1) * len(heads) / (2 * n) // evenly spread
		for _, next := range relations {
			if next != r && len(g.Tails(graph.EntityID(tails[fact]), next)) > 0 {
				return "exists x. " + atomText(m, r, constant(m, graph.EntityID(heads[fact])), "x") + " & " + atomText(m, next, "x", "y")
			}
		}
	}
	return ""
}

// atomText formats an atom of a stored relation.
func atomText(m *runtime.Model, r graph.RelationID, head, tail string) string {
	return ast.Relation{Name: m.Bundle().RelationText(r)}.Applied(head, tail)
}
