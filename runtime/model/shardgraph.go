package model

import (
	"iter"
	"slices"
)

// pieceFacts is how many facts of a graph are read at a time by those who read all.
const pieceFacts = 1 << 19

// pieces returns the pairs of r as Edges does, some at a time. Those of a graph whose pages do
// not stay in memory leave it behind.
func (g *Graph) pieces(r RelationID) iter.Seq2[[]int32, []int32] {
	return func(yield func(heads, tails []int32) bool) {
		if g.changed(r) != nil {
			yield(g.Edges(r))
			return
		}
		for lo, end := g.offsets[r], g.offsets[r+1]; lo < end; lo += pieceFacts {
			hi := min(lo+pieceFacts, end)
			heads, tails := g.heads[lo:hi], g.tails[lo:hi]
			more := yield(heads, tails)
			g.pages.releaseFacts(heads)
			g.pages.releaseFacts(tails)
			if !more {
				return
			}
		}
	}
}

// ofTails returns the graph of the facts whose tail is one of rows entities from first on, with
// tails that count from it.
func (g *Graph) ofTails(first, rows int) *Graph {
	part := &Graph{n: rows, from: g.n, offsets: make([]int64, 1, len(g.offsets))}
	for r := range RelationID(g.NumRelations()) {
		// How many facts these are is known from the order of the inverse.
		heads, _ := g.Edges(r.Inverse())
		lo, _ := slices.BinarySearch(heads, int32(first))
		hi, _ := slices.BinarySearch(heads, int32(first+rows))
		part.offsets = append(part.offsets, part.offsets[r]+int64(hi-lo))
	}
	count := part.offsets[len(part.offsets)-1]
	part.heads, part.tails = make([]int32, 0, count), make([]int32, 0, count)
	for r := range RelationID(g.NumRelations()) {
		for heads, tails := range g.pieces(r) {
			for i, t := range tails {
				if uint(int(t)-first) < uint(rows) {
					part.heads, part.tails = append(part.heads, heads[i]), append(part.tails, t-int32(first))
				}
			}
		}
	}
	return part
}
