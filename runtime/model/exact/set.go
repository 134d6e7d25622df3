package exact

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// Sets of entities are immutable ascending slices: views into the graph, or results. A nil set contains all entities
// without listing them.

// empty reports whether a set has no element.
func empty(a []int32) bool { return a != nil && len(a) == 0 }

// size returns the number of elements.
func (s *Solver) size(a []int32) int {
	if a == nil {
		return s.n
	}
	return len(a)
}

// each yields the elements of a set.
func (s *Solver) each(a []int32) iter.Seq[int32] {
	if a != nil {
		return slices.Values(a)
	}
	return func(yield func(int32) bool) {
		for e := range int32(s.n) {
			if !yield(e) {
				return
			}
		}
	}
}

// list returns a set as a list that is not nil; listing all entities costs budget.
func (s *Solver) list(a []int32) []int32 {
	if a == nil && s.spend(s.n) {
		if s.all == nil {
			s.all = slices.Collect(s.each(nil))
		}
		return s.all
	}
	return listed(a)
}

// listed returns an empty set that is not nil for nil.
func listed(a []int32) []int32 {
	if a == nil {
		return []int32{}
	}
	return a
}

// lopsided is the ratio of lengths above which looking elements up is faster than merging.
const lopsided = 8

func (s *Solver) intersect(a, b []int32) []int32 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := s.room.list(min(len(a), len(b)))
	for e := range common(a, b) {
		out = append(out, e)
	}
	return s.keep(out)
}

func meets(a, b []int32) bool {
	if b == nil {
		return len(a) > 0
	}
	for range common(a, b) {
		return true
	}
	return false
}

func common(a, b []int32) iter.Seq[int32] {
	if len(a) > len(b) {
		a, b = b, a
	}
	return func(yield func(int32) bool) {
		rest := b
		for _, e := range a {
			var found bool
			rest, found = seek(rest, e, len(rest) > lopsided*len(a))
			if found && !yield(e) || len(rest) == 0 {
				return
			}
		}
	}
}

// seek returns the rest of b from the first element that is not below e, and whether that is e. far says that it may
// be far away.
func seek(b []int32, e int32, far bool) ([]int32, bool) {
	if far {
		i, found := slices.BinarySearch(b, e)
		return b[i:], found
	}
	for len(b) > 0 && b[0] < e {
		b = b[1:]
	}
	return b, len(b) > 0 && b[0] == e
}

func (s *Solver) subtract(a, b []int32) []int32 {
	if len(a) == 0 || len(b) == 0 {
		return a
	}
	out := s.room.list(len(a))
	far := len(b) > lopsided*len(a)
	for _, e := range a {
		var found bool
		b, found = seek(b, e, far)
		if !found {
			out = append(out, e)
		}
	}
	return s.keep(out)
}

func contains(a []int32, e int32) bool {
	_, found := slices.BinarySearch(a, e)
	return found
}

// inAny returns the union of a set over the graphs.
func (s *Solver) inAny(f Facts, set func(*graph.Graph) []int32) []int32 {
	all := listed(set(f[0]))
	for _, g := range f[1:] {
		more := set(g)
		switch {
		case len(all) == 0:
			all = listed(more)
		case len(more) > 0:
			s.spend(len(all) + len(more))
			all = append(append(s.room.list(len(all)+len(more)), all...), more...)
			slices.Sort(all)
			all = s.keep(slices.Compact(all))
		}
	}
	return all
}

// collector unites sets: a few elements by sorting, many by a bitmap. It is ready for n entities once that is set,
// and again after take.
type collector struct {
	n     int
	ids   []int32  // with duplicates
	words []uint64 // nil until there are many ids
	count int      // of the set bits
}

func (c *collector) add(ids ...int32) {
	c.ids = append(c.ids, ids...)
	if len(c.ids) > c.n/256 {
		c.mark()
	}
}

// mark sets the bits of the ids.
func (c *collector) mark() {
	if c.words == nil {
		c.words = make([]uint64, (c.n+63)/64)
	}
	for _, e := range c.ids {
		word := &c.words[e/64]
		bit := uint64(1) << (e % 64)
		if *word&bit == 0 {
			*word |= bit
			c.count++
		}
	}
	c.ids = c.ids[:0]
}

// take returns the union of the added sets, allocated in r, and resets the collector.
func (c *collector) take(r *room) []int32 {
	if c.count == 0 {
		out := append(r.list(len(c.ids)), c.ids...)
		c.ids = c.ids[:0]
		slices.Sort(out)
		return r.keep(slices.Compact(out))
	}
	c.mark()
	out := r.list(c.count)
	for i, w := range c.words {
		for ; w != 0; w &= w - 1 {
			out = append(out, int32(64*i+bits.TrailingZeros64(w)))
		}
	}
	clear(c.words)
	c.count = 0
	return r.keep(out)
}
