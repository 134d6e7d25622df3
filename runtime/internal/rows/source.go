// Package rows reads the entity table of a model. A Source is one way to do so:
//
//	          few columns                  many columns          sums
//	Float     dot products                 products of matrices  sums of rows, or products
//	Codes     dot products with codes,     –                     sums of codes
//	          and with their low bytes
//	Wide      –                            products of integers  products of integers
//
// A column is the score of every row with one query; a sum adds up weighted rows. Codes are off by some thousandths;
// their client repairs the results that matter with the rows of Exact. The package knows neither plans nor users'
// queries, and makes no sweeps: see package sweep.
package rows

import (
	"math"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Source is a way to read a table. Rows are numbered within the table, ranges of them exclude hi.
type Source interface {
	// Len returns the number of rows.
	Len() int
	// Pack prepares for w. It reports false if this source is not accurate enough, or if Exact is faster; then only
	// Exact may be called.
	Pack(w *Work) (Shape, bool)
	// Scores computes the columns and loop scores of the rows lo to hi.
	Scores(w *Work, lo, hi int, room *Room)
	// Add adds the rows lo to hi to all sums, weighted: row i of acc, which begins at i·Stride, is the sum of
	// weights[i].
	Add(w *Work, acc []float32, weights [][]float32, lo, hi int, room *Room)
	// AddAt computes acc += Σ_i weights[i]·E_ids[i]. acc has Stride numbers.
	AddAt(acc []float32, ids []int32, weights []float32)
	// Exact returns the source for work that this one refuses, and for repairs; nil if this one is exact.
	Exact() Source
}

// Work describes the results that a sweep computes from each row. It reuses its memory between sweeps.
type Work struct {
	Columns []Column
	Loops   []Loop
	NumSums int // number of sums of rows
	// Terms is the precision of products of matrices, whose scores may differ from dot products. They are used for
	// many columns or sums; 0 rules them out.
	Terms product.Terms
	// Within bounds the error of a score: with Codes strictly, with Wide as a root mean square over the rows. For
	// wide columns it is MaxWideError.
	Within float32

	shape    Shape
	many     bool          // use products of matrices
	terms    product.Terms // of scores
	weights  product.Terms // of sums
	lows     []int8        // of codes, if products read these instead of float32 rows
	vectors  []float32     // unit vectors of cosines, or all queries for products
	packed   product.Right // queries
	integers product.Integers
	codes    packedQueries
}

// Column is Dst[e] = ⟨E_e, Query⟩, or the cosine of both.
type Column struct {
	Dst    []float32
	Query  []float32
	Cosine bool
	Wide   bool // codes are not precise enough: read their low bytes too
}

// MaxWideError bounds the error of wide columns, as a root mean square over the rows. On FB15k-237
// it is 3.5·10⁻⁵.
const MaxWideError = 2e-4

// Loop is Dst[e] = ±⟨r⊗E_e, E_e⟩.
type Loop struct {
	Dst      []float32
	Relation []float32
	Negated  bool
}

// Shape is how a source partitions its rows.
type Shape struct {
	Tile   int // rows that stay in the cache between their scores and their sums
	Chunk  int // approximate rows of a partial sum
	Stride int // numbers from one sum to the next
	Sums   int // capacity of a partial sum
}

// Room is the memory of one worker.
type Room struct {
	block     product.Left // rows
	converted []float32    // rows that are not float32
	scores    []float32    // columns × rows
	numbers   []float32    // sums × rows
	weights   product.Left // the same
	rows      product.Right
	integers  product.IntegerRoom
	totals    product.Totals
	inverses  [wholeRows]float32
}

// chunkRows is about the number of rows that a partial sum adds up in float32.
const chunkRows = 1024

// Bounds on tiles and chunks.
const (
	TileNumbers = 8 << 10 // float32 numbers of a tile in the first-level cache
	tileCodes   = 32 << 10
	chunkBytes  = 256 << 10
	// Tiles of products, with their results, stay in the second-level cache.
	productRows = 128
	wholeRows   = product.TotalRows
)

// The number of columns or sums above which rows are multiplied as matrices.
const (
	// minProduct is for two terms.
	minProduct = 8
	// minThree is for columns of three terms.
	minThree = 24
	// MinCoded is minProduct for a table with codes, which dot products read faster.
	MinCoded = 16
)

// Fastest returns the fastest source for some work: codes, unless matrices pay. A sweep with many columns mostly does
// arithmetic, and products of matrices are as fast with more bits. If exact is set, it is not codes with rows besides
// them: ranks by codes differ from those by products, except for the best rows, which are repaired.
func Fastest(m *model.Model, w *Work, sums int, exact bool) Source {
	beside := hasCodes(&m.Predictor.EntityTable)
	least := minProduct
	if beside && !exact {
		least = MinCoded
	}
	switch many := w.Terms > 0 && max(len(w.Columns), sums) >= least; {
	case many && (Wide{m}).Multiplies():
		return Wide{m}
	case many && !DotsPay(m), exact && beside:
		return Float{m}
	}
	return Codes{m}
}

// DotsPay reports whether dot products with codes, four queries at a time, are faster than products of matrices for
// any number of columns.
func DotsPay(m *model.Model) bool { return hasCodes(&m.Predictor.EntityTable) && simd.HasVNNI() }

// ByDots reports whether columns are computed by dot products, like other columns of the same pass.
func ByDots(m *model.Model, columns []Column) bool {
	if (Wide{m}).Multiplies() {
		return len(columns) < MinCoded && !anyWide(columns)
	}
	return len(columns) < minThree
}

// TileRows returns the number of rows of a tile in the first-level cache, which is TileNumbers for float rows.
func TileRows(tile, numbers int) int { return max(4, min(256, tile/numbers)&^3) }

// small returns the shape of tiles in the first-level cache, for rows of the given numbers and bytes.
func small(numbers, bytes, tile, sums int) Shape {
	return Shape{Tile: TileRows(tile, numbers), Chunk: min(chunkBytes/bytes, chunkRows), Stride: numbers, Sums: sums}
}

// large returns the shape for products of matrices. With a stride of 2 kB, rows of sums would conflict in the cache.
func large(numbers, tile, sums int) Shape {
	s := Shape{Tile: tile, Chunk: tile, Stride: numbers + 16, Sums: (sums + 15) &^ 15}
	if sums > 0 {
		s.Chunk = chunkRows
	}
	return s
}

// manyOf returns the number of columns or sums, whichever is larger.
func (w *Work) manyOf() int { return max(len(w.Columns), w.NumSums) }

// vectorsOf makes unit vectors for cosines, and copies of all other queries if all is set.
func (w *Work) vectorsOf(width int, all bool) {
	w.vectors = reuse.Slice(w.vectors, len(w.Columns)*width)
	for i, c := range w.Columns {
		if to := w.vectors[i*width : (i+1)*width]; c.Cosine {
			Normalize(to, c.Query)
		} else if all {
			copy(to, c.Query)
		}
	}
}

// query returns the vector of column i, to be multiplied by rows.
func (w *Work) query(i int) []float32 {
	if c := &w.Columns[i]; !c.Cosine {
		return c.Query
	}
	width := len(w.Columns[i].Query)
	return w.vectors[i*width : (i+1)*width]
}

// dst returns the rows lo to hi of column i.
func (w *Work) dst(i, lo, hi int) []float32 { return w.Columns[i].Dst[lo:hi] }

// finish divides cosines by the norms of the rows lo to hi, and computes loop scores, always from exact rows.
func (w *Work) finish(m *model.Model, lo, hi int, room *Room) {
	inverted := false
	for i := range w.Columns {
		if !w.Columns[i].Cosine {
			continue
		}
		if !inverted {
			inverted = true
			Invert(room.inverses[:], m.Predictor.EntityNorms[lo:hi])
		}
		dst := w.dst(i, lo, hi)
		simd.Mul(dst, dst, room.inverses[:len(dst)])
	}
	for i := range w.Loops {
		l := &w.Loops[i]
		m.Predictor.EntityTable.LoopScores(l.Dst[lo:hi], lo, hi, l.Relation, l.Negated)
	}
}

// leastNorm is the smallest norm of a row that does not count as zero.
const leastNorm = 0x1p-126

// Invert sets dst to the inverses of norms, 0 for those that count as zero.
func Invert(dst, norms []float32) {
	for i, norm := range norms {
		dst[i] = 0
		if norm >= leastNorm {
			dst[i] = 1 / norm
		}
	}
}

// Normalize computes dst = x / ‖x‖, or 0 where x is.
func Normalize(dst, x []float32) {
	size := 0.0
	for _, v := range x {
		size += float64(v) * float64(v)
	}
	by := float32(0)
	if size > 0 {
		by = float32(min(1/math.Sqrt(size), math.MaxFloat32))
	}
	simd.Scale(dst, x, by)
}

// hasCodes reports whether a table has codes with rows beside them.
func hasCodes(t *table.Table) bool { return t.Codes() != nil && t.Type().IsFloat() }

// Bytes returns the memory of w besides its lists.
func (w *Work) Bytes() int64 {
	return 4*int64(cap(w.vectors)+cap(w.codes.scales)) + 2*int64(cap(w.codes.packed)) + w.packed.Bytes() + w.integers.Bytes()
}

// Bytes returns the memory of room for columns.
func (room *Room) Bytes() int64 {
	return 4*int64(cap(room.scores)+cap(room.converted)) + room.block.Bytes() + room.integers.Bytes()
}

// Chunks returns about the number of chunks of a table for few columns and sums.
func Chunks(t *table.Table) int { return max(t.Rows()/chunkRows, t.Bytes()/chunkBytes) }

// LeastChunk returns a lower bound on the rows of a chunk, for tables of the given width.
func LeastChunk(width int) int { return max(1, min(productRows, chunkBytes/(4*width))/2) }

// Need bounds the memory of a Work with the given number of columns of three terms, and the memory of
// each worker's Room.
func Need(m *model.Model, columns int) (work, room int64) {
	table := &m.Predictor.EntityTable
	width := table.Width()
	padded := quant.Columns(width)
	work = 4 * int64(columns) * int64(width)
	if columns >= minThree {
		work += product.Bytes(columns, width, product.Three)
		room += product.Bytes(productRows, width, product.Three) + 4*productRows*int64(columns+padded)
	}
	if table.Codes() != nil {
		work += (2*2*int64(padded) + 4) * int64(columns)
	}
	if hasCodes(table) && product.HasIntegers() {
		work += product.IntegerBytes(columns, padded)
		room += product.IntegerRoomBytes(columns, padded)
	}
	return work, room
}
