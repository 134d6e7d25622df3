package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// index lists the edges of each entity, in both directions.
type index struct {
	graph *graph.Graph
	// The edges of e are [offsets[e], offsets[e+1]), by relation, then tail.
	offsets          []int
	relations, tails []int32
	// neighbors holds the distinct tails of each entity, ascending.
	neighbors [][]int32
	// nodes are the entities with edges.
	nodes []int32
}

// newIndex indexes a graph.
func newIndex(g *graph.Graph) *index {
	n := g.NumEntities()
	x := &index{graph: g, offsets: make([]int, n+1), neighbors: make([][]int32, n)}
	for r := range g.NumRelations() {
		heads, _ := g.Edges(graph.RelationID(r))
		for _, h := range heads {
			x.offsets[h+1]++
		}
	}
	for e := range n {
		if x.offsets[e+1] > 0 {
			x.nodes = append(x.nodes, int32(e))
		}
		x.offsets[e+1] += x.offsets[e]
	}
	x.relations = make([]int32, x.offsets[n])
	x.tails = make([]int32, x.offsets[n])
	next := slices.Clone(x.offsets)
	for r := range g.NumRelations() {
		heads, tails := g.Edges(graph.RelationID(r))
		for i, h := range heads {
			x.relations[next[h]], x.tails[next[h]] = int32(r), tails[i]
			next[h]++
		}
	}
	all := slices.Clone(x.tails)
	for e := range n {
		list := all[x.offsets[e]:x.offsets[e+1]]
		slices.Sort(list)
		x.neighbors[e] = slices.Compact(list)
	}
	return x
}

// edge draws an edge out of e: one of its relations, then one of the tails.
func (x *index) edge(rng *rand.Rand, e int32) (relation, tail int32, ok bool) {
	list := x.relations[x.offsets[e]:x.offsets[e+1]]
	if len(list) == 0 {
		return 0, 0, false
	}
	var starts []int
	for i, r := range list {
		if i == 0 || r != list[i-1] {
			starts = append(starts, i)
		}
	}
	relation = list[pick(rng, starts)]
	return relation, pick(rng, x.graph.Tails(graph.EntityID(e), graph.RelationID(relation))), true
}

// between returns the relations from h to t, ascending.
func (x *index) between(h, t int32) []int32 {
	flip := int32(0)
	if x.offsets[t+1]-x.offsets[t] < x.offsets[h+1]-x.offsets[h] {
		h, t, flip = t, h, 1
	}
	var out []int32
	for i := x.offsets[h]; i < x.offsets[h+1]; i++ {
		if x.tails[i] == t {
			out = append(out, x.relations[i]^flip)
		}
	}
	slices.Sort(out)
	return out
}

// pick draws an element.
func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// shuffle puts a list into random order.
func shuffle[T any](rng *rand.Rand, list []T) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
