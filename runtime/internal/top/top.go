// Package top picks the best entities of a fuzzy vector.
package top

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Ranking is the result of a query, by id.
type Ranking struct {
	Answer []Ranked
	Sets   [][]Ranked
}

// Ranked is an entity with its score in an answer, or its degree of membership in a set.
type Ranked struct {
	Entity graph.EntityID
	Score  float32
}

// Descending yields all entities of x, best first, ties in order of id. It does not sort all of them at once: it finds
// sixteen times as many whenever more are requested.
func Descending(x []float32) iter.Seq[Ranked] {
	return func(yield func(Ranked) bool) {
		done := 0
		for k := MostInserted; done < len(x); k *= 16 {
			for _, r := range Of(x, k)[done:] {
				if !yield(r) {
					return
				}
				done++
			}
		}
	}
}

// block is the number of entities that are compared at once with the worst of the best so far.
const block = 128

// Compare orders the better of two entities first; ties in order of id.
func Compare(a, b Ranked) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entity, b.Entity))
}

// Of returns the k entities with the largest x, best first; ties in order of id.
func Of(x []float32, k int) []Ranked { return Into(nil, x, k) }

// MostInserted is the largest k for which Into keeps the k best so far in order. For more, sorting by digits takes less
// time.
const MostInserted = 64

// Into is Of in the memory of list.
func Into(list []Ranked, x []float32, k int) []Ranked {
	k = min(k, len(x))
	if k > MostInserted {
		return many(list, x, k)
	}
	list = slices.Grow(list[:0], k)
	for e, v := range x[:k] {
		list = Insert(list, Ranked{graph.EntityID(e), v}, k)
	}
	var better [block]int32
	for lo := k; lo < len(x) && k > 0; lo += block {
		part := x[lo:min(lo+block, len(x))]
		least := math.Nextafter32(list[k-1].Score, float32(math.Inf(1)))
		for _, i := range better[:simd.IndexAbove(better[:len(part)], part, least)] {
			list = Insert(list, Ranked{graph.EntityID(lo + int(i)), part[i]}, k)
		}
	}
	return list
}

// Insert inserts an entity into the list of the k best so far, best first, after those with equal scores.
func Insert(list []Ranked, r Ranked, k int) []Ranked {
	i := len(list)
	switch {
	case i < k:
		list = append(list, r)
	case list[i-1].Score < r.Score:
		i--
	default:
		return list
	}
	for ; i > 0 && list[i-1].Score < r.Score; i-- {
		list[i] = list[i-1]
	}
	list[i] = r
	return list
}

// many is Into by radix sort. The first digit of the scores, in the form of falling, tells which entities may be
// among the k best; these are sorted from the last digit to the first.
func many(list []Ranked, x []float32, k int) []Ranked {
	const most = 11
	digit := most
	if len(x) < 1<<most {
		digit = 8 // fewer counts to clear and add up
	}
	var all [1 << most]int
	counts := all[:1<<digit]
	first := func(v float32) uint32 { return falling(v) >> (32 - digit) }
	for _, v := range x {
		counts[first(v)]++
	}
	last := 0
	room := counts[0]
	for room < k {
		last++
		room += counts[last]
	}
	list = slices.Grow(list[:0], 2*room)
	for e, v := range x {
		if first(v) <= uint32(last) {
			list = append(list, Ranked{graph.EntityID(e), v})
		}
	}
	from := list
	to := list[room : 2*room]
	for place := 0; place < 32; place += digit {
		clear(counts)
		at := func(r Ranked) uint32 { return falling(r.Score) >> place % (1 << digit) }
		for _, r := range from {
			counts[at(r)]++
		}
		next := 0
		for i, count := range counts {
			counts[i] = next
			next += count
		}
		for _, r := range from {
			i := at(r)
			to[counts[i]] = r
			counts[i]++
		}
		from, to = to, from
	}
	return append(list[:0], from[:k]...)
}

// falling returns bits for a number that order larger numbers first, and NaN last.
func falling(v float32) uint32 {
	switch bits := math.Float32bits(v); {
	case v != v:
		return math.MaxUint32
	case bits>>31 == 0:
		return 1<<31 - 1 - bits
	case v == 0: // −0
		return 1<<31 - 1
	default:
		return bits
	}
}
