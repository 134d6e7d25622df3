package product

import "github.com/efoc/efoc/kernels/reuse"

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
	p.numbers, p.bytes = reuse.Slice(p.numbers, columns), reuse.Slice(p.bytes, p.steps*queryTiles*tileBytes)
	if len(p.ones) != columns {
		p.ones = make([]float32, columns)
		for i := range p.ones {
			p.ones[i] = 1
		}
	}
}
