package graph

import "slices"

// OfTails returns the graph of the facts with a tail among rows entities from first on, with tails numbered from
// first.
func (g *Graph) OfTails(first, rows int) *Graph {
	part := &Graph{n: rows, from: g.n, sketch: &sketch{}, offsets: make([]int64, 1, len(g.offsets))}
	for r := range RelationID(g.NumRelations()) {
		// The order of the inverse gives the number of these facts.
		heads, _ := g.Edges(r.Inverse())
		lo, _ := slices.BinarySearch(heads, int32(first))
		hi, _ := slices.BinarySearch(heads, int32(first+rows))
		part.offsets = append(part.offsets, part.offsets[r]+int64(hi-lo))
	}
	count := part.offsets[len(part.offsets)-1]
	part.heads = make([]int32, 0, count)
	part.tails = make([]int32, 0, count)
	for r := range RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		for i, t := range tails {
			if uint(int(t)-first) < uint(rows) {
				part.heads = append(part.heads, heads[i])
				part.tails = append(part.tails, t-int32(first))
			}
		}
	}
	return part
}

// Digest returns a hash of the facts.
func (g *Graph) Digest() uint64 {
	sum := uint64(g.n)
	for r := range RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		for i, h := range heads {
			sum += mix(pack(h, tails[i]) + uint64(r)<<17)
		}
	}
	return sum
}
