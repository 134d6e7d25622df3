package graph

import (
	"cmp"
	"errors"
	"fmt"
	"github.com/efoc/efoc/runtime/internal/pool"
	"maps"
	"math"
	"slices"
	"sync"
)

// Regularity counts patterns in the facts r(x, y) of a relation. Model.With updates all numbers except Overlaps and Lone;
// New, Save and compaction recount everything.
type Regularity struct {
	// Facts counts the facts, Loops the facts r(x, x), and Symmetric the facts r(x, y) with x ≠ y for which r(y, x)
	// is also a fact.
	Facts     int `json:"facts"`
	Loops     int `json:"loops"`
	Symmetric int `json:"symmetric"`
	// Ends describes both directions of the relation: r, then its inverse.
	Ends [2]End `json:"ends"`
	// Overlaps are the relations that share most facts with r, by the larger of the two shares.
	Overlaps []Overlap `json:"overlaps,omitempty"`
}

// End describes the number of tails per head of a directed relation.
type End struct {
	// Heads counts the entities with a tail, Several those with more than one, and Lone those with one tail such that
	// head and tail have other facts: the graph would still have both entities if it lacked this fact.
	Heads   int `json:"heads"`
	Several int `json:"several"`
	Lone    int `json:"lone"`
	// Most bounds the tails of a head. It is the maximum, unless facts were removed since the bundle was written.
	Most int `json:"most"`
}

// Overlap counts the facts r(x, y) for which With(x, y) is also a fact. With is a directed relation: the inverse of s
// for facts s(y, x).
type Overlap struct {
	With  RelationID `json:"with"`
	Facts int        `json:"facts"`
}

const (
	// mostOverlaps bounds the overlaps of a relation; leastOverlap and leastOverlapShare are the facts and the share
	// of one of the relations required for an overlap.
	mostOverlaps, leastOverlap, leastOverlapShare = 8, 2, 0.05
	// regularityEdges bounds the edges sorted at a time.
	regularityEdges = 1 << 18
)

// Regularities counts the regularities of each relation.
func (g *Graph) Regularities() []Regularity {
	list := make([]Regularity, g.NumRelations()/2)
	spare := g.Spare()
	for r := range RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		x := &list[r/2]
		end := &x.Ends[r&1]
		for from := 0; from < len(heads); {
			to := from + 1
			for to < len(heads) && heads[to] == heads[from] {
				to++
			}
			end.count(to-from, 1)
			if to == from+1 && spare(heads[from], tails[from]) {
				end.Lone++
			}
			from = to
		}
		if r.IsInverse() {
			continue
		}
		x.Facts = len(heads)
		for i, h := range heads {
			if h == tails[i] {
				x.Loops++
			}
		}
	}
	g.overlaps(list)
	return list
}

// count adds heads with the given number of tails.
func (e *End) count(tails, heads int) {
	if tails > 0 {
		e.Heads += heads
	}
	if tails > 1 {
		e.Several += heads
	}
	if heads > 0 {
		e.Most = max(e.Most, tails)
	}
}

// overlaps counts Symmetric and Overlaps. It sorts the edges of a range of heads at a time.
func (g *Graph) overlaps(list []Regularity) {
	counts := map[[2]RelationID]int{}
	var lock sync.Mutex
	ranges := g.headRanges(regularityEdges)
	err := pool.InParts(len(ranges)-1, 1, func(lo, hi int) error {
		own := map[[2]RelationID]int{}
		for i := lo; i < hi; i++ {
			g.overlapsIn(ranges[i], ranges[i+1], own)
		}
		lock.Lock()
		defer lock.Unlock()
		for k, n := range own {
			counts[k] += n
		}
		return nil
	})
	if err != nil { // no part returns one
		panic(err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]RelationID) int { return slices.Compare(a[:], b[:]) }) {
		r := k[0]
		with := k[1]
		n := counts[k]
		x := &list[r/2]
		if with == r.Inverse() {
			x.Symmetric = n
			continue
		}
		o := Overlap{With: with, Facts: n}
		if n >= leastOverlap && overlapShare(list, r, o) >= leastOverlapShare {
			x.Overlaps = append(x.Overlaps, o)
		}
	}
	for i := range list {
		x := &list[i]
		r := RelationID(2 * i)
		slices.SortStableFunc(x.Overlaps, func(a, b Overlap) int { return cmp.Compare(overlapShare(list, r, b), overlapShare(list, r, a)) })
		x.Overlaps = slices.Clip(x.Overlaps[:min(len(x.Overlaps), mostOverlaps)])
	}
}

// overlapShare returns the larger of two relations' shares of common facts.
func overlapShare(list []Regularity, r RelationID, o Overlap) float64 {
	return float64(o.Facts) / float64(min(list[r/2].Facts, list[o.With/2].Facts))
}

// degrees counts the facts of each entity. A loop counts twice.
func (g *Graph) degrees() []int32 {
	degrees := make([]int32, g.n)
	for r := range RelationID(g.NumRelations()) {
		heads, _ := g.Edges(r)
		for _, h := range heads {
			degrees[h]++
		}
	}
	return degrees
}

// Spare returns a function that reports, for the head and the tail of a fact, whether both have other facts.
func (g *Graph) Spare() func(head, tail int32) bool {
	degrees := g.degrees()
	return func(head, tail int32) bool {
		if head == tail {
			return degrees[head] > 2
		}
		return min(degrees[head], degrees[tail]) > 1
	}
}

// headRanges divides the entities into ranges with about the given number of edges at their heads: it returns their
// starts, and n.
func (g *Graph) headRanges(edges int) []int32 {
	ranges := []int32{0}
	sum := 0
	for h, d := range g.degrees() {
		sum += int(d)
		if sum > edges && int32(h) > ranges[len(ranges)-1] {
			ranges = append(ranges, int32(h))
			sum = int(d)
		}
	}
	return append(ranges, int32(g.n))
}

// overlapsIn counts, for each relation r and other directed relation s, the pairs (x, y), x ≠ y, of
// both with x in a range.
func (g *Graph) overlapsIn(first, end int32, counts map[[2]RelationID]int) {
	type edge struct {
		pair uint64
		r    RelationID
	}
	var edges []edge
	for r := range RelationID(g.NumRelations()) {
		heads, tails := g.Edges(r)
		lo, _ := slices.BinarySearch(heads, first)
		hi, _ := slices.BinarySearch(heads, end)
		for i := lo; i < hi; i++ {
			if heads[i] != tails[i] {
				edges = append(edges, edge{pack(heads[i], tails[i]), r})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.r, b.r)) })
	for len(edges) > 0 {
		n := 1
		for n < len(edges) && edges[n].pair == edges[0].pair {
			n++
		}
		for _, a := range edges[:n] {
			if a.r.IsInverse() {
				continue // as its inverse, from the other head
			}
			for _, b := range edges[:n] {
				if b.r != a.r {
					counts[[2]RelationID{a.r, b.r}]++
				}
			}
		}
		edges = edges[n:]
	}
}

// RegularitiesAfter returns the regularities of a changed graph, given the previous ones and the facts that may have
// changed.
func (g *Graph) RegularitiesAfter(before *Graph, list []Regularity, facts []Triple) []Regularity {
	if list == nil {
		return nil
	}
	list = slices.Clone(list)
	type row struct {
		head EntityID
		r    RelationID
	}
	rows := map[row]bool{}
	for _, t := range facts {
		was := before.HasTriple(t)
		is := g.HasTriple(t)
		if was == is {
			continue
		}
		r := RelationID(2 * t.Relation)
		rows[row{t.Head, r}], rows[row{t.Tail, r.Inverse()}] = true, true
		x := &list[t.Relation]
		more := 1
		if was {
			more = -1
		}
		x.Facts += more
		if t.Head == t.Tail {
			x.Loops += more
			continue
		}
		back := Triple{Head: t.Tail, Relation: t.Relation, Tail: t.Head}
		wasBack := before.HasTriple(back)
		isBack := g.HasTriple(back)
		if is && isBack || was && wasBack {
			x.Symmetric += more
		}
		if wasBack && isBack { // it counts too, though unchanged
			x.Symmetric += more
		}
	}
	for at := range rows {
		end := &list[at.r/2].Ends[at.r&1]
		end.count(len(before.Tails(at.head, at.r)), -1)
		end.count(len(g.Tails(at.head, at.r)), 1)
	}
	return list
}

// CheckRegularities checks the regularities of all relations.
func CheckRegularities(list []Regularity, relations int) error {
	if len(list) != relations {
		return fmt.Errorf("there are %d, want one for each of %d relations", len(list), relations)
	}
	for i := range list {
		x := &list[i]
		if x.Facts < 0 || x.Loops < 0 || x.Symmetric < 0 || len(x.Overlaps) > mostOverlaps {
			return fmt.Errorf("relation %d has %d loops, %d symmetric facts and %d overlaps", i, x.Loops, x.Symmetric, len(x.Overlaps))
		}
		for _, e := range x.Ends {
			if min(e.Several, e.Lone) < 0 || e.Heads < e.Several || e.Most < 0 || max(x.Facts, e.Heads, e.Most, x.Loops, x.Symmetric) > math.MaxInt32 {
				return fmt.Errorf("relation %d has %d heads, %d of them with several tails", i, e.Heads, e.Several)
			}
		}
		for _, o := range x.Overlaps {
			if o.With < 0 || int(o.With) >= 2*relations || o.Facts < 0 {
				return errors.New("an overlap is with a relation out of range")
			}
		}
	}
	return nil
}
