package fit

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// passes is the room for passes over the entity table.
type passes struct {
	queries []float32 // rows × 2d
	scores  []float32 // rows × stride
	stride  int
	packed  product.Right
	// Where rows of the table are integers, in place of packed: the queries, and the low bytes
	// of the rows.
	whole   product.Integers
	low     []int8
	wide    wideQueries
	sums    []float32 // rows × blocks: of exponentials, where the scores are these already
	raised  []bool    // of each row: they are
	workers []passRoom
}

// passRoom is the room of one worker.
type passRoom struct {
	block    product.Left // of the table
	decoded  []float32    // rows that are not float32
	integers product.IntegerRoom
	lows     []float32 // what low bytes add to the scores of a block: four rows
	ids      []int32   // n
	degrees  []float32 // n, nil if a row has taken them
}

// prepare makes room for a row of n entities.
func (room *passRoom) prepare(n int) {
	if room.ids == nil {
		room.ids = make([]int32, n)
	}
	if room.degrees == nil {
		room.degrees = make([]float32, n)
	}
}

// blockRows is the number of rows of the table that are multiplied at once.
const blockRows = 128

// minProduct is the number of rows from which they are made by products of matrices, unless
// these are of integers.
const minProduct = 24

// cacheLine is the number of float32 numbers in 64 bytes, at which rows of scores begin.
const cacheLine = 16

// strideOf is the distance of rows of scores of n entities.
func strideOf(n int) int { return (n + cacheLine - 1) / cacheLine * cacheLine }

// blocks returns the number of blocks of the table.
func (k *maker) blocks() int { return (k.model.NumEntities() + blockRows - 1) / blockRows }

// need returns the memory for passes of some number of rows.
func (k *maker) need(rows int) int64 {
	n, width := k.model.NumEntities(), 2*k.model.Predictor.Rank
	need := numberBytes * int64(rows) * int64(strideOf(n)+width+k.blocks())
	workers := int64(len(k.workers))
	need += workers * 2 * numberBytes * int64(n)
	if rows >= minProduct {
		need += product.Bytes(rows, width, product.Three) + workers*product.Bytes(blockRows, width, product.Three)
	}
	if k.integers() {
		columns := quant.Columns(width)
		need += product.IntegerBytes(rows, columns) + workers*product.IntegerRoomBytes(rows, columns)
	}
	return need
}

// integers reports whether rows of the table are multiplied as 16-bit integers.
func (k *maker) integers() bool {
	t := &k.model.Predictor.EntityTable
	return product.HasIntegers() && t.Codes() != nil && t.Type().IsFloat()
}

// temperature returns what the scores of a relation are divided by. A scale without
// one leaves them as they are.
func (k *maker) temperature(r model.RelationID) float32 {
	switch factors := k.model.Manifest.Temperatures; {
	case k.scale.temperature == 0:
		return 1
	case factors != nil:
		return k.scale.temperature * float32(factors[r])
	}
	return k.scale.temperature
}

// score returns the scores of row i of a pass.
func (k *maker) score(i int) []float32 {
	return k.scores[i*k.stride : i*k.stride+k.model.NumEntities()]
}

// query returns what row i of a pass multiplies the table with.
func (k *maker) query(i int) []float32 {
	width := 2 * k.model.Predictor.Rank
	return k.queries[i*width : (i+1)*width]
}

// mostScore is the largest score of which exponentials are taken as they are: those of scores
// from −mostScore are no denormal numbers, and sums of those up to mostScore are finite.
const mostScore = 64

// pass computes the scores ⟨r⊗E_h, E_t⟩ of the keys.
func (k *maker) pass(keys []key) { k.run(keys, false) }

// exponentials is pass, but row i has the exponentials of its scores where raised[i] is set, and
// sums has the sum of those of each block.
func (k *maker) exponentials(keys []key) { k.run(keys, true) }

func (k *maker) run(keys []key, raise bool) {
	p, rows := &k.model.Predictor, len(keys)
	k.stride = strideOf(k.model.NumEntities())
	k.queries, k.scores = reuse.Slice(k.queries, rows*2*p.Rank), reuse.Slice(k.scores, rows*k.stride)
	k.sums, k.raised = reuse.Slice(k.sums, rows*k.blocks()), slices.Grow(k.raised[:0], rows)[:rows]
	_, longest := p.EntityTable.CodesOff() // 0 if there are no codes
	var heads []float32
	if k.part != nil {
		heads = k.heads(keys)
	}
	for i, x := range keys {
		var head []float32
		if heads != nil {
			head = heads[i*2*p.Rank : (i+1)*2*p.Rank]
		} else {
			head = p.EntityTable.Row(model.EntityID(x.h), nil)
		}
		q := k.query(i)
		kernels.Project(q, head, p.Relation(x.r), false, false)
		if t := k.temperature(x.r); t != 1 {
			simd.Scale(q, q, 1/t)
		}
		k.raised[i] = raise && longest > 0 && length(q)*longest <= mostScore
	}
	switch {
	case k.packIntegers(rows):
		k.multiplyIntegers()
	case rows < minProduct && k.packWide(rows):
		k.dotsWide(rows)
	case rows < minProduct:
		k.dots(rows)
	default:
		k.multiply(rows)
	}
}

// length returns ‖q‖.
func length(q []float32) float32 {
	var square [1]float32
	simd.DotRows(square[:], q, q)
	return float32(math.Sqrt(float64(square[0])))
}

// each calls f for each block of the table, the rows lo to hi, to compute their scores.
func (k *maker) each(f func(room *passRoom, lo, hi int)) {
	n, blocks := k.model.NumEntities(), k.blocks()
	k.model.Pool().Each(blocks, func(worker, b int) {
		lo, hi := b*blockRows, min((b+1)*blockRows, n)
		f(&k.workers[worker], lo, hi)
		for i, raised := range k.raised {
			if raised {
				x := k.score(i)[lo:hi]
				k.sums[i*blocks+b] = simd.ExpSum(x, x, 0)
			}
		}
	})
}

// multiply is pass by products of floating-point numbers. They are as exact as float32: what
// is left of a negated degree, 1 − P, may be as small as P's error.
func (k *maker) multiply(rows int) {
	const terms = product.Three
	table := &k.model.Predictor.EntityTable
	width := table.Width()
	k.packed.Pack(product.Of(k.queries, rows, width, width).T(), terms)
	k.each(func(room *passRoom, lo, hi int) {
		room.block.Pack(table.Matrix(lo, hi, &room.decoded), terms)
		product.MulT(k.scores[lo:], k.stride, &room.block, &k.packed)
	})
}

// dots is pass for few rows.
func (k *maker) dots(rows int) {
	table := &k.model.Predictor.EntityTable
	k.each(func(_ *passRoom, lo, hi int) {
		score := func(i int) []float32 { return k.score(i)[lo:hi] }
		i := 0
		for ; i+4 <= rows; i += 4 {
			table.DotRows4(score(i), score(i+1), score(i+2), score(i+3), lo, hi, k.query(i), k.query(i+1), k.query(i+2), k.query(i+3))
		}
		for ; i < rows; i++ {
			table.DotRows(score(i), lo, hi, k.query(i))
		}
	})
}

// maxScoreError bounds the error of scores by integers, as a root mean square over entities. On
// FB15k-237 it is 3·10⁻⁵ by measurement and 6·10⁻⁵ by estimate.
const maxScoreError = 2e-4

// packIntegers packs the queries as integers, and reports whether rows are multiplied as such.
// A query that is not finite, or of which scores may be too far off, is left to float32.
func (k *maker) packIntegers(rows int) bool {
	if !k.integers() {
		return false
	}
	table := &k.model.Predictor.EntityTable
	_, longest := table.CodesOff()
	coarsest, columns := simd.Max(table.Codes().Scales), quant.Columns(table.Width())
	k.low = k.model.LowBytes()
	k.whole.Reset(rows, columns)
	for i := range rows {
		unit, ok := k.whole.AddNumbers(k.query(i), k.score(i))
		if !ok || !(integersOff(length(k.query(i)), unit, coarsest, longest, columns) <= maxScoreError) {
			return false
		}
	}
	return true
}

// integersOff estimates the error of scores by integers, as a root mean square: of a query of
// some length in integers of the given unit, and rows up to a length in codes of the coarsest
// scale. What rounding leaves is spread evenly, in rows over 1/256 of the scale; what products of
// low bytes are short of is the mean square of two numbers below 128.
func integersOff(length, unit, coarsest, longest float32, columns int) float32 {
	const even, low = 0.28868, 128. * 128 / 3 / 256 // 1/√12
	row, query := even/256*length*coarsest, even*unit*longest
	short := low * unit * coarsest * float32(math.Sqrt(float64(columns)))
	return float32(math.Sqrt(float64(row*row + query*query + short*short)))
}

// multiplyIntegers is pass by products of 16-bit integers.
func (k *maker) multiplyIntegers() {
	codes := k.model.Predictor.EntityTable.Codes()
	columns := quant.Columns(codes.Width)
	k.each(func(room *passRoom, lo, hi int) {
		k.whole.Mul(&room.integers, lo, codes.Codes[lo*columns:hi*columns], k.low[lo*columns:hi*columns], codes.Scales[lo:hi])
	})
}
