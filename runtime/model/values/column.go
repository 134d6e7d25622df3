package values

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/efoc/efoc/runtime/model/graph"
)

// Column has the values of one attribute, by entity and number, in blocks. An entity's values are in one block. A
// changed column shares the unchanged blocks with the old one.
type Column []Block

// Block has parallel lists of entities and numbers.
type Block struct {
	entities []int32
	numbers  []byte // float64s, in the format of a bundle
}

// blockValues is the number of values in a block, unless one entity has more.
const blockValues = 4096

// At returns the value at an index.
func (b Block) At(i int) EntityValue {
	return EntityValue{graph.EntityID(b.entities[i]), b.Number(i)}
}

// Number returns the number at an index.
func (b Block) Number(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b.numbers[NumberBytes*i:]))
}

func (b *Block) append(v EntityValue) {
	b.entities = append(b.entities, int32(v.Entity))
	b.numbers = binary.LittleEndian.AppendUint64(b.numbers, math.Float64bits(v.Number))
}

// part returns the values from lo to hi, as a view.
func (b Block) part(lo, hi int) Block {
	return Block{b.entities[lo:hi:hi], b.numbers[NumberBytes*lo : NumberBytes*hi : NumberBytes*hi]}
}

// next returns the index of the next entity's first value.
func (b Block) next(i int) int {
	e := b.entities[i]
	for i < len(b.entities) && b.entities[i] == e {
		i++
	}
	return i
}

// Len returns the number of values.
func (b Block) Len() int { return len(b.entities) }

// Each yields the entities with values, ascending, each with all its values.
func (c Column) Each(yield func(e graph.EntityID, of Block) bool) {
	for _, b := range c {
		for i := 0; i < len(b.entities); {
			next := b.next(i)
			if !yield(graph.EntityID(b.entities[i]), b.part(i, next)) {
				return
			}
			i = next
		}
	}
}

// divided splits a block into blocks of the usual size, which share its memory.
func (b Block) divided() (c Column) {
	start := 0
	for start < len(b.entities) {
		end := b.next(min(start+blockValues, len(b.entities)) - 1)
		c = append(c, b.part(start, end))
		start = end
	}
	return c
}

// Of returns the values of an entity.
func (c Column) Of(e graph.EntityID) Block {
	i := sort.Search(len(c), func(i int) bool { return c[i].entities[0] > int32(e) }) - 1
	if i < 0 {
		return Block{}
	}
	at, _ := slices.BinarySearch(c[i].entities, int32(e))
	end, _ := slices.BinarySearch(c[i].entities[at:], int32(e)+1)
	return c[i].part(at, at+end)
}

// Has reports whether the values, all of one entity, include a number.
func (b Block) Has(number float64) bool {
	i := sort.Search(len(b.entities), func(i int) bool { return b.Number(i) >= number })
	return i < len(b.entities) && b.Number(i) == number
}

// with returns the column after edits, which are sorted and unique, and the numbers of values added and removed.
func (c Column) with(edits []valueEdit) (next Column, added, removed int) {
	if len(c) == 0 {
		c = Column{Block{}}
	}
	for i, b := range c {
		mine := len(edits)
		if i+1 < len(c) {
			behind := graph.EntityID(c[i+1].entities[0])
			mine = sort.Search(len(edits), func(k int) bool { return edits[k].Entity >= behind })
		}
		if mine == 0 {
			next = append(next, b)
			continue
		}
		changed, more, less := b.with(edits[:mine])
		edits = edits[mine:]
		added += more
		removed += less
		if len(changed.entities) <= 2*blockValues && len(changed.entities) > 0 {
			next = append(next, changed)
		} else {
			next = append(next, changed.divided()...)
		}
	}
	return next, added, removed
}

// with merges edits into the values.
func (b Block) with(edits []valueEdit) (changed Block, added, removed int) {
	i := 0
	for _, x := range edits {
		for ; i < len(b.entities) && b.At(i).compare(x.EntityValue) < 0; i++ {
			changed.append(b.At(i))
		}
		has := i < len(b.entities) && b.At(i) == x.EntityValue
		if has {
			i++
		}
		switch {
		case x.there && !has:
			added++
		case !x.there && has:
			removed++
		}
		if x.there {
			changed.append(x.EntityValue)
		}
	}
	for ; i < len(b.entities); i++ {
		changed.append(b.At(i))
	}
	return changed, added, removed
}
