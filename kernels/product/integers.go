package product

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
	packed       []uint32 // for each group of 16 and step of 64 columns: a tile of high bytes, one of low ones
	scales       []float32
	dst          [][]float32
	first        []*float32 // of dst
}

// IntegerRoom is the room of one goroutine for Integers.Mul.
type IntegerRoom struct {
	sums      []int32
	high, low []int8 // of rows at the edge
	scales    [groupRows]float32
	tile      [groupQueries * groupRows]float32
	lines     [groupQueries]*float32 // of tile
}

// Rows and queries that are multiplied together.
const (
	groupRows    = 32
	groupQueries = 16
	groupColumns = 64
	queryTiles   = 2   // of a group for each step
	sumTiles     = 2   // of a group for each 16 rows
	tileWords    = 256 // numbers of 32 bits in a tile
)

// Reset prepares for some number of queries of the given number of columns, a multiple of 64.
func (p *Integers) Reset(queries, columns int) {
	if columns%groupColumns != 0 || columns == 0 {
		panic("product: columns of integers do not make whole steps")
	}
	groups := (queries + groupQueries - 1) / groupQueries
	p.steps, p.count = columns/groupColumns, 0
	p.packed = resize(p.packed, groups*p.steps*queryTiles*tileWords)
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
	group, at := p.count/groupQueries, p.count%groupQueries
	for step := range p.steps {
		tiles := p.packed[(group*p.steps+step)*queryTiles*tileWords:][:queryTiles*tileWords]
		for k := range tileLines {
			l, word := step*groupColumns/2+2*k, k*tileLines+at
			tiles[word] = uint32(uint16(high[l])) | uint32(uint16(high[l+1]))<<16
			tiles[tileWords+word] = uint32(uint16(low[l])) | uint32(uint16(low[l+1]))<<16
		}
	}
	p.scales[p.count] = scale
	p.dst, p.first = append(p.dst, dst), append(p.first, &dst[0])
	p.count++
}
