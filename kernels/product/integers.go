package product

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
)

// Integers are queries as 16-bit integers, which Mul multiplies with rows of such integers. Reset reuses their
// memory.
//
// An integer is 256 times a high byte plus a low byte, both signed. The product of a row with a query is
// computed as
//
//	256·Σ high·high + Σ high·low + Σ low·high,
//
// which is the product divided by 256 without Σ low·low / 256, at most 64 per column. The sums are exact; they
// are scaled in float32.
type Integers struct {
	steps, count int
	packed       []uint32 // for each group of 16 and step of 64 columns: a tile of high bytes and one of low bytes
	scales       []float32
	dst          [][]float32
	numbers      []float32 // of a query, with padding
	ones         []float32
	bytes        []int8 // of a query
	emulated     [][]int16
}

// IntegerRoom is the scratch memory of Integers.Mul for one goroutine.
type IntegerRoom struct {
	sums      []int32
	high, low []int8 // of rows at the edge
	scales    [groupRows]float32
	products  []float32  // of all queries with some rows
	lines     []*float32 // of products: one for each query
}

// Block sizes of rows and queries.
const (
	groupRows    = 32
	groupQueries = 16
	groupColumns = 64
	queryTiles   = 2   // of a group for each step
	sumTiles     = 2   // of a group for each 16 rows
	tileWords    = 256 // numbers of 32 bits in a tile
	tileBytes    = 4 * tileWords
)

// copied is the number of rows whose products are copied to their destination at a time, because storing single
// products to many destinations is slow.
const copied = 256

// IntegerBytes bounds the memory of Integers for the given numbers of queries and columns, IntegerRoomBytes the
// memory of an IntegerRoom.
func IntegerBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	steps := int64(columns / groupColumns)
	return 4*groups*(steps*queryTiles*tileWords+groupQueries) + 8*int64(columns) + steps*queryTiles*tileBytes + 64*int64(queries)
}

func IntegerRoomBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	return 4*groups*(groupRows/tileLines*sumTiles*tileWords+groupQueries*(copied+2)) + 2*groupRows*int64(columns)
}

// Bytes returns the size of the memory that p refers to.
func (p *Integers) Bytes() int64 {
	return 4*int64(cap(p.packed)+cap(p.scales)+cap(p.numbers)+cap(p.ones)) + 24*int64(cap(p.dst)) + int64(cap(p.bytes))
}

// Bytes returns the size of the memory that room refers to.
func (room *IntegerRoom) Bytes() int64 {
	return 4*int64(cap(room.sums)+cap(room.products)) + 8*int64(cap(room.lines)) + int64(cap(room.high)+cap(room.low))
}

// Reset prepares for the given numbers of queries and columns, the latter a multiple of 64.
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

// HasIntegers reports whether this machine multiplies Integers: with unit amx and AMX-INT8, or by emulation.
func HasIntegers() bool { return inUse() == emulated || inUse() == amx && multipliesBytes() }

// AddNumbers adds a query with at most as many numbers as there are columns. It scales the numbers so that the
// largest becomes 32512, rounds them to integers, up to 2⁻⁸, and returns the value of the integer 1. Mul writes
// the products to dst. ok is false, and nothing is added, if a number is not finite, or all are below 2⁻¹⁰⁰
// and not all 0. It needs HasIntegers.
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

// Mul computes dst_j[at+i] = scales[i]·⟨row i, query j⟩, where row i is high[i*columns+l] +
// low[i*columns+l]/256 and query j is its integers times their scale. It needs HasIntegers.
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

// emulate implements Mul.
func (p *Integers) emulate(at int, high, low []int8, scales []float32) {
	columns := p.steps * groupColumns
	for j, query := range p.emulated {
		for i, scale := range scales {
			sum := int64(0)
			for l, q := range query {
				sum += multiplyBytes(q, high[i*columns+l], low[i*columns+l])
			}
			p.dst[j][at+i] = scale * p.scales[j] * float32(sum)
		}
	}
}
