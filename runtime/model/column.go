package model

import (
	"encoding/binary"
	"github.com/efoc/efoc/runtime/model/graph"
	"math"
	"slices"
	"sort"
)

// column has the values of one attribute, by entity and number, in blocks. An entity's values lie in one
// block. A changed column shares the other blocks with the one before.
type column []valueBlock

// valueBlock has values side by side.
type valueBlock struct {
	entities []int32
	numbers  []byte // float64s, as a bundle has them
}

// blockValues is the number of values in a block, unless one entity has more.
const blockValues = 4096

// at returns the value at an index.
func (b valueBlock) at(i int) EntityValue {
	return EntityValue{graph.EntityID(b.entities[i]), b.number(i)}
}

func (b valueBlock) number(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b.numbers[numberBytes*i:]))
}

func (b *valueBlock) append(v EntityValue) {
	b.entities = append(b.entities, int32(v.Entity))
	b.numbers = binary.LittleEndian.AppendUint64(b.numbers, math.Float64bits(v.Number))
}

// part returns the values from lo to hi, as a view.
func (b valueBlock) part(lo, hi int) valueBlock {
	return valueBlock{b.entities[lo:hi:hi], b.numbers[numberBytes*lo : numberBytes*hi : numberBytes*hi]}
}

// next returns where the values of the entity behind the one at an index begin.
func (b valueBlock) next(i int) int {
	e := b.entities[i]
	for i < len(b.entities) && b.entities[i] == e {
		i++
	}
	return i
}

// divided returns the values in blocks, as views.
func (b valueBlock) divided() (c column) {
	start := 0
	for start < len(b.entities) {
		end := b.next(min(start+blockValues, len(b.entities)) - 1)
		c = append(c, b.part(start, end))
		start = end
	}
	return c
}

// divide sets the columns to parts of the stored block.
func (v *values) divide(list []Attribute) {
	v.columns = make([]column, len(list))
	start := 0
	for i, a := range list {
		v.columns[i] = v.part(start, start+a.Values).divided()
		start += a.Values
	}
}

// changed reports whether the values are no longer as they are stored.
func (v *values) changed() bool {
	return v.entities == nil && slices.ContainsFunc(v.columns, func(c column) bool { return len(c) > 0 })
}

// plain returns the values as they are stored.
func (v *values) plain(list []Attribute) values {
	var p values
	for _, c := range v.columns {
		for _, b := range c {
			p.entities = append(p.entities, b.entities...)
			p.numbers = append(p.numbers, b.numbers...)
		}
	}
	p.divide(list)
	return p
}

// of returns the values of an entity.
func (c column) of(e graph.EntityID) valueBlock {
	i := sort.Search(len(c), func(i int) bool { return c[i].entities[0] > int32(e) }) - 1
	if i < 0 {
		return valueBlock{}
	}
	at, _ := slices.BinarySearch(c[i].entities, int32(e))
	end, _ := slices.BinarySearch(c[i].entities[at:], int32(e)+1)
	return c[i].part(at, at+end)
}

// HasSeveralValues reports whether an entity has several values of an attribute.
func (m *Model) HasSeveralValues(attribute string) bool {
	at, err := m.attribute(attribute)
	if err != nil {
		return false
	}
	for _, b := range m.values.columns[at] {
		for i := 1; i < len(b.entities); i++ {
			if b.entities[i] == b.entities[i-1] {
				return true
			}
		}
	}
	return false
}

// has reports whether the values, which are of one entity, have a number.
func (b valueBlock) has(number float64) bool {
	i := sort.Search(len(b.entities), func(i int) bool { return b.number(i) >= number })
	return i < len(b.entities) && b.number(i) == number
}

// with returns the column after edits, which are sorted and of one value each, and how many values come and go.
func (c column) with(edits []valueEdit) (next column, added, removed int) {
	if len(c) == 0 {
		c = column{valueBlock{}}
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
func (b valueBlock) with(edits []valueEdit) (changed valueBlock, added, removed int) {
	i := 0
	for _, x := range edits {
		for ; i < len(b.entities) && b.at(i).compare(x.EntityValue) < 0; i++ {
			changed.append(b.at(i))
		}
		has := i < len(b.entities) && b.at(i) == x.EntityValue
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
		changed.append(b.at(i))
	}
	return changed, added, removed
}
