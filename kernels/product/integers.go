package product

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
)

// Integers are queries in 16-bit integers, which Mul multiplies with rows of such integers. It
// keeps its memory from one Reset to the next.
//
// An integer is 256 times a high byte and a low byte, both signed, and a product of a row with
// a query is
//
//	256·Σ high·high + Σ high·low + Σ low·high,
//
// 256 times too small: the omitted part, Σ low·low / 256, is at most 64 a column. The sums are exact;
// they are scaled in float32.
type Integers struct {
	steps, count int
	packed       []uint32 // for each group of 16 and step of 64 columns: a tile of high bytes, one of low ones
	scales       []float32
	dst          [][]float32
	numbers      []float32 // of a query, with padding
	ones         []float32
	bytes        []int8 // of a query
	emulated     [][]int16
}

// IntegerRoom is the room of one goroutine for Integers.Mul.
type IntegerRoom struct {
	sums      []int32
	high, low []int8 // of rows at the edge
	scales    [groupRows]float32
	products  []float32  // of all queries with some rows
	lines     []*float32 // of products: one for each query
}

// Rows and queries that are multiplied together.
const (
	groupRows    = 32
	groupQueries = 16
	groupColumns = 64
	queryTiles   = 2   // of a group for each step
	sumTiles     = 2   // of a group for each 16 rows
	tileWords    = 256 // numbers of 32 bits in a tile
	tileBytes    = 4 * tileWords
)

// copied is the number of rows whose products are copied to where they belong at a time: one
// store in each of many places would wait for each.
const copied = 256

// IntegerBytes bounds the memory of Integers for some number of queries of the given number of
// columns, IntegerRoomBytes the memory of a goroutine's IntegerRoom.
func IntegerBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	steps := int64(columns / groupColumns)
	return 4*groups*(steps*queryTiles*tileWords+groupQueries) + 8*int64(columns) + steps*queryTiles*tileBytes + 64*int64(queries)
}

func IntegerRoomBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	return 4*groups*(groupRows/tileLines*sumTiles*tileWords+groupQueries*(copied+2)) + 2*groupRows*int64(columns)
}

// Bytes returns the memory that p holds beside itself.
func (p *Integers) Bytes() int64 {
	return 4*int64(cap(p.packed)+cap(p.scales)+cap(p.numbers)+cap(p.ones)) + 24*int64(cap(p.dst)) + int64(cap(p.bytes))
}

// Bytes returns the memory that room holds beside itself.
func (room *IntegerRoom) Bytes() int64 {
	return 4*int64(cap(room.sums)+cap(room.products)) + 8*int64(cap(room.lines)) + int64(cap(room.high)+cap(room.low))
}

// Reset prepares for some number of queries of the given number of columns, a multiple of 64.
func (p *Integers) Reset(queries, columns int) {
	if columns%groupColumns != 0 || columns == 0 {
		panic("product: columns of integers do not make whole steps")
	}
	groups := (queries + groupQueries - 1) / groupQueries
	p.steps = columns / groupColumns
	p.count = 0
	p.packed = reuse.Slice(p.packed, groups*p.steps*queryTiles*tileWords)
	clear(p.packed)
	p.scales = reuse.Slice(p.scales, groups*groupQueries)
	clear(p.dst)
	p.dst = p.dst[:0]
	p.emulated = p.emulated[:0]
	p.numbers, p.bytes = reuse.Slice(p.numbers, columns), reuse.Slice(p.bytes, p.steps*queryTiles*tileBytes)
	if len(p.ones) != columns {
		p.ones = make([]float32, columns)
		for i := range p.ones {
			p.ones[i] = 1
		}
	}
}

// HasIntegers reports whether this machine multiplies Integers: unit amx with AMX-INT8, or one that
// emulates it.
func HasIntegers() bool { return inUse() == emulated || inUse() == amx && multipliesBytes() }

// AddNumbers adds a query of numbers, at most as many as there are columns: the integers are what
// is nearest to them, up to 2⁻⁸, when the largest becomes 32512; it returns what 1 stands for. Mul
// writes the products to dst. It reports false, and adds nothing, if a number is not finite, or all
// are below 2⁻¹⁰⁰ and not all 0. It needs HasIntegers.
func (p *Integers) AddNumbers(query, dst []float32) (unit float32, ok bool) {
	var largest float32
	var integers []int16
	if inUse() == emulated {
		integers = make([]int16, p.steps*groupColumns)
		largest = weighIntegers(integers, query, p.ones)
	} else {
		largest = p.add(query)
	}
	if largest != 0 && !(largest >= 0x1p-100 && largest <= math.MaxFloat32) {
		return 0, false
	}
	unit = largest / 32512
	p.scales[p.count] = unit
	p.dst = append(p.dst, dst)
	p.emulated = append(p.emulated, integers)
	p.count++
	return unit, true
}

// Mul computes dst_j[at+i] = scales[i]·⟨row i, query j⟩, where row i stands for
// high[i*columns+l] + low[i*columns+l]/256 and query j for the integers that were added, times
// their scale. It needs HasIntegers.
func (p *Integers) Mul(room *IntegerRoom, at int, high, low []int8, scales []float32) {
	columns := p.steps * groupColumns
	check(min(len(high), len(low)), len(scales), columns, columns)
	switch {
	case p.count == 0:
	case inUse() == emulated:
		p.emulate(at, high, low, scales)
	default:
		p.multiply(room, at, high, low, scales)
	}
}
