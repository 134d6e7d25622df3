package exact

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Sets of entities are ascending slices that nothing writes to: views into the
// graph, or results. A set of n entities is the set of all.

// lopsided is how many times longer the other set must be before looking an
// element up is better than walking along.
const lopsided = 8

func intersect(a, b []int32) []int32 { return slices.Collect(common(a, b)) }

func meets(a, b []int32) bool {
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
			if rest, found = seek(rest, e, len(rest) > lopsided*len(a)); found && !yield(e) || len(rest) == 0 {
				return
			}
		}
	}
}

// seek returns what is left of b from the first element that is not below e, and
// whether that is e. far says that it may be far away.
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

func subtract(a, b []int32) []int32 {
	if len(a) == 0 || len(b) == 0 {
		return a
	}
	out := make([]int32, 0, len(a))
	far := len(b) > lopsided*len(a)
	for _, e := range a {
		var found bool
		if b, found = seek(b, e, far); !found {
			out = append(out, e)
		}
	}
	return out
}

func contains(a []int32, e int32) bool {
	_, found := slices.BinarySearch(a, e)
	return found
}

func sources(g *model.Graph, r model.RelationID) []int32 {
	heads, _ := g.Edges(r)
	return slices.Compact(slices.Clone(heads))
}

// collector unites sets. The zero value is ready once grown to n entities, and
// again after take.
type collector struct {
	words []uint64
	ids   []int32
}

func (c *collector) grow(n int) {
	if words := (n + 63) / 64; len(c.words) < words {
		c.words = make([]uint64, words)
	}
}

func (c *collector) add(ids ...int32) {
	for _, e := range ids {
		word, bit := &c.words[e/64], uint64(1)<<(e%64)
		if *word&bit == 0 {
			*word |= bit
			c.ids = append(c.ids, e)
		}
	}
}

func (c *collector) take() []int32 {
	var out []int32
	if len(c.ids) < len(c.words)/4 {
		out = slices.Clone(c.ids)
		slices.Sort(out)
		for _, e := range out {
			c.words[e/64] = 0
		}
	} else {
		out = make([]int32, 0, len(c.ids))
		for i, w := range c.words {
			for ; w != 0; w &= w - 1 {
				out = append(out, int32(64*i+bits.TrailingZeros64(w)))
			}
		}
		clear(c.words)
	}
	c.ids = c.ids[:0]
	return out
}
