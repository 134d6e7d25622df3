package product

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// Integers are queries in 16-bit integers, which Mul multiplies with rows of such integers. It
// keeps its memory from one Reset to the next.
//
// An integer is 256 times a high byte and a low byte, both signed, and a product of a row with
// a query is
//
//	256·Σ high·high + Σ high·low + Σ low·high,
//
// 256 times too small: what is left out, Σ low·low / 256, is at most 64 a column. The sums are
// exact; they are scaled in float32.
type Integers struct {
	steps, count int
	packed       []uint32 // for each group of 32 and step of 64 columns: two tiles of high bytes, two of low ones
	scales       []float32
	dst          [][]float32
	first        []*float32 // of dst
}

// IntegerRoom is the room of one goroutine for Integers.Mul.
type IntegerRoom struct {
	sums      []int32
	high, low []int8 // of 16 rows at the edge
	scales    [groupRows]float32
	tile      [groupRows * groupRows]float32
	lines     [groupRows]*float32 // of tile
}

// Rows and queries that are multiplied together.
const (
	groupRows    = 16
	groupQueries = 32
	groupColumns = 64
	groupTiles   = 4   // for each step, of queries, and of sums
	tileWords    = 256 // numbers of 32 bits in a tile
)

// IntegerBytes returns the memory of Integers for some number of queries of the given number of
// columns, IntegerRoomBytes that of the IntegerRoom of a goroutine, at most.
func IntegerBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	return 4*groups*(int64(columns/groupColumns)*groupTiles*tileWords+groupQueries) + 64*int64(queries)
}

func IntegerRoomBytes(queries, columns int) int64 {
	groups := int64(queries+groupQueries-1) / groupQueries
	return 4*groups*groupTiles*tileWords + 2*groupRows*int64(columns)
}

// Bytes returns the memory that p holds beside itself.
func (p *Integers) Bytes() int64 {
	return 4*int64(cap(p.packed)+cap(p.scales)) + 24*int64(cap(p.dst)) + 8*int64(cap(p.first))
}

// Bytes returns the memory that room holds beside itself.
func (room *IntegerRoom) Bytes() int64 {
	return 4*int64(cap(room.sums)) + int64(cap(room.high)+cap(room.low))
}

// Reset prepares for some number of queries of the given number of columns, a multiple of 64.
func (p *Integers) Reset(queries, columns int) {
	if columns%groupColumns != 0 || columns == 0 {
		panic("product: columns of integers do not make whole steps")
	}
	groups := (queries + groupQueries - 1) / groupQueries
	p.steps, p.count = columns/groupColumns, 0
	p.packed = resize(p.packed, groups*p.steps*groupTiles*tileWords)
	clear(p.packed)
	p.scales = resize(p.scales, groups*groupQueries)
	clear(p.dst)
	clear(p.first)
	p.dst, p.first = p.dst[:0], p.first[:0]
}

// Add adds a query with its scale, as ref.PackQuery packs it: two times the columns, of which
// the second half are the low and the high bytes. Mul writes its products to dst.
func (p *Integers) Add(query []int16, scale float32, dst []float32) {
	columns := p.steps * groupColumns
	low, high := query[columns:columns+columns/2], query[columns+columns/2:2*columns]
	group, half, at := p.count/groupQueries, p.count%groupQueries/groupRows, p.count%groupRows
	for step := range p.steps {
		tiles := p.packed[(group*p.steps+step)*groupTiles*tileWords:][:groupTiles*tileWords]
		for k := range groupRows {
			l := step*groupColumns/2 + 2*k
			word := k*groupRows + at
			tiles[half*tileWords+word] = uint32(uint16(high[l])) | uint32(uint16(high[l+1]))<<16
			tiles[(2+half)*tileWords+word] = uint32(uint16(low[l])) | uint32(uint16(low[l+1]))<<16
		}
	}
	p.scales[p.count] = scale
	p.dst, p.first = append(p.dst, dst), append(p.first, &dst[0])
	p.count++
}

// largestInteger is the largest integer of a query: 127 high bytes, with low ones in their range.
const largestInteger = 32512

// AddNumbers is Add for a query of numbers, at most as many as there are columns: the integers are
// what is nearest to them, up to 2⁻⁸, when the largest becomes 32512; it returns what 1 stands for.
// It reports false, and adds nothing, if a number is not finite, or all are below 2⁻¹⁰⁰ and not
// all 0.
func (p *Integers) AddNumbers(x, dst []float32) (unit float32, ok bool) {
	largest := max(0, simd.Max(x))
	for _, v := range x {
		if v-v != 0 {
			return 0, false
		}
		largest = max(largest, -v)
	}
	if largest > 0 && largest < 0x1p-100 {
		return 0, false
	}
	inverse := float32(0)
	if largest > 0 {
		inverse = largestInteger / largest
	}
	group, half, at := p.count/groupQueries, p.count%groupQueries/groupRows, p.count%groupRows
	for step := range (len(x) + groupColumns - 1) / groupColumns {
		tiles := p.packed[(group*p.steps+step)*groupTiles*tileWords:][:groupTiles*tileWords]
		high, low := tiles[half*tileWords+at:], tiles[(2+half)*tileWords+at:]
		numbers := x[step*groupColumns : min((step+1)*groupColumns, len(x))]
		for k, v := range numbers {
			// Adding 2²³·1.5 rounds to an integer, which the low bits hold.
			c := int32(math.Float32bits(v*inverse+0x1.8p23)) - 0x4b400000
			word, shift := k/4*groupRows, k%4*8
			high[word] |= uint32(uint8((c+128)>>8)) << shift
			low[word] |= uint32(uint8(c)) << shift
		}
	}
	unit = largest / largestInteger
	p.scales[p.count] = unit
	p.dst, p.first = append(p.dst, dst), append(p.first, &dst[0])
	p.count++
	return unit, true
}
