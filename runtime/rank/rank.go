// Package rank picks the best entities of a fuzzy vector.
package rank

import (
	"cmp"
	"iter"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Ranking is what is found for a query, before anything is named.
type Ranking struct {
	Answer []Ranked
	Sets   [][]Ranked
}

// Ranked is an entity with its score in an answer, or its degree of membership in a set.
type Ranked struct {
	Entity model.EntityID
	Score  float32
}

// Descending yields all entities of x, best first; ties in order of id. It does not sort the
// rest: all entities go into a heap, and each requested one is taken from its root.
func Descending(x []float32) iter.Seq[Ranked] {
	return func(yield func(Ranked) bool) {
		heap := make([]model.EntityID, len(x))
		for e := range heap {
			heap[e] = model.EntityID(e)
		}
		better := func(a, b model.EntityID) bool { return x[a] > x[b] || x[a] == x[b] && a < b }
		heapify(heap, better)
		for len(heap) > 0 && yield(Ranked{heap[0], x[heap[0]]}) {
			last := len(heap) - 1
			heap[0], heap = heap[last], heap[:last]
			sink(heap, 0, better)
		}
	}
}

// heapify makes a heap whose root is before all others.
func heapify[T any](heap []T, before func(a, b T) bool) {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i, before)
	}
}

// sink moves what is at i in a heap down to its place.
func sink[T any](heap []T, i int, before func(a, b T) bool) {
	for {
		c := 2*i + 1
		if c+1 < len(heap) && before(heap[c+1], heap[c]) {
			c++
		}
		if c >= len(heap) || !before(heap[c], heap[i]) {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}

// block is how many entities are passed over together where none is among the best.
const block = 128

// Compare orders the better of two entities first; ties in order of id.
func Compare(a, b Ranked) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entity, b.Entity))
}

// Top returns the k entities with the largest x, best first; ties in order of id.
func Top(x []float32, k int) []Ranked { return TopIn(nil, x, k) }

// TopIn is Top in the memory of a list. It keeps the k best so far in a heap whose root is the worst
// of them.
func TopIn(list []Ranked, x []float32, k int) []Ranked {
	k = min(k, len(x))
	list = slices.Grow(list[:0], k)[:k]
	if k == 0 {
		return list
	}
	worse := func(a, b Ranked) bool { return a.Score < b.Score || a.Score == b.Score && a.Entity > b.Entity }
	for e := range list {
		list[e] = Ranked{model.EntityID(e), x[e]}
	}
	heapify(list, worse)
	for lo := k; lo < len(x); lo += block {
		hi := min(lo+block, len(x))
		if simd.Max(x[lo:hi]) <= list[0].Score {
			continue
		}
		for e := lo; e < hi; e++ {
			if r := (Ranked{model.EntityID(e), x[e]}); worse(list[0], r) {
				list[0] = r
				sink(list, 0, worse)
			}
		}
	}
	slices.SortFunc(list, Compare)
	return list
}
