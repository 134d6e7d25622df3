package missing

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Bounds on plausible relations.
const (
	maxPlausible = 24      // each is a question to the model
	maxAlike     = 64      // entities compared
	maxSharing   = 16      // entities that share a fact, and facts of a relation
	maxCompared  = 1 << 19 // pairs of an entity and a relation
)

// Plausible returns the relations by which facts of an entity may be missing: the relations of the most similar
// entities, the most common first. Entities are similar if they share facts, such as a type; for an entity that
// shares none, if they have facts by the same relations. Plausible returns nothing for an entity without facts.
func Plausible(m *runtime.Model, e graph.EntityID) []graph.RelationID {
	n := graph.RelationID(m.NumRelations())
	shared := map[int32]int{} // facts shared with e, by entity
	for r := range n {
		for t := range spread(m.Bundle().Graph.Tails(e, r), maxSharing) {
			for other := range spread(m.Bundle().Graph.Tails(graph.EntityID(t), r.Inverse()), maxSharing) {
				shared[other]++
			}
		}
	}
	delete(shared, int32(e))
	if len(shared) == 0 {
		for r := range n {
			if len(m.Bundle().Graph.Tails(e, r)) > 0 {
				heads, _ := m.Bundle().Graph.Edges(r)
				for other := range spread(heads, maxAlike) {
					shared[other] = 1
				}
			}
		}
	}
	if len(shared) == 0 {
		return nil
	}
	alike := slices.SortedFunc(maps.Keys(shared), func(a, b int32) int { return cmp.Or(shared[b]-shared[a], int(a-b)) })
	alike = append(alike[:min(len(alike), maxAlike, 1+maxCompared/int(n))], int32(e))
	common := make([]int, n)
	var list []graph.RelationID
	for r := range n {
		for _, other := range alike {
			if len(m.Bundle().Graph.Tails(graph.EntityID(other), r)) > 0 {
				common[r]++
			}
		}
		if 8*common[r] >= len(alike) {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b graph.RelationID) int { return common[b] - common[a] })
	return list[:min(len(list), maxPlausible)]
}

// spread yields up to most elements of a list, at even distances.
func spread(list []int32, most int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		n := min(len(list), most)
		for i := range n {
			if !yield(list[(2*i+1)*len(list)/(2*n)]) {
				return
			}
		}
	}
}
