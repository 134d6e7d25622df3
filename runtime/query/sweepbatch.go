package query

import (
	"math"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// MinProduct is the number of scores or sums from which a sweep multiplies blocks of
// rows by matrices rather than by a few vectors.
const MinProduct = 8

// minCoded is MinProduct for a table with codes, which a few vectors pass over faster.
const minCoded = 16

// The rows are split as those of other sweeps are, into blocks that stay in the
// second-level cache with what is made of them, and chunks of a few blocks: enough for
// many processors, but every chunk has sums of its own to be added at the end.
const (
	productRows  = 128
	integerRows  = product.TotalRows
	productChunk = 1024 // rows of a chunk at least
)

// splitProducts splits n rows into blocks for a sweep with so many sums, each of stride numbers.
func splitProducts(n, stride, sums, block int) sweepShape {
	blocks := (n + block - 1) / block
	most := min(maxChunks, max(minChunks, partialBytes/(4*stride*max(1, sums))))
	perChunk := max(productChunk/block, (blocks+most-1)/most)
	return sweepShape{block: block, perChunk: perChunk, chunks: (blocks + perChunk - 1) / perChunk}
}

// products holds the matrices of a batch's sweep: the queries, one a row, for each worker
// the scores and the weights of a block, and for each chunk its sums.
//
// Where the table has codes and the machine multiplies matrices of bytes, rows are
// integers of 16 bits, codes with low bytes, and so are queries and weights: in half the time of two
// terms of bfloat16, from half the memory. A weight times its row's scale is rounded to a multiple
// of 1/32512 of the largest in its block.
type products struct {
	terms   product.Terms // of scores
	weights product.Terms // of sums
	vectors []float32     // scores × 2d
	queries product.Right
	// low are the low bytes of rows, if rows are integers; whole are the queries, if these are
	// integers too.
	low     []int8
	whole   product.Integers
	exact   bool // queries are not integers
	workers []productScratch
	stride  int         // from one sum to the next
	sums    [][]float32 // of each chunk
}

// productScratch is the room of one worker for one block.
type productScratch struct {
	block     product.Left // the rows, for scores
	converted []float32    // rows that are not float32
	scores    []float32    // scores × rows
	numbers   []float32    // sums × rows
	weights   product.Left // the same
	rows      product.Right
	integers  product.IntegerRoom
	totals    product.Totals
	// inverses are those of the norms of the rows.
	inverses [integerRows]float32
}

// multiplies reports whether the sweep has enough to do for products of matrices.
func (s *Sweep) multiplies() bool {
	least := MinProduct
	if table := &s.w.model.Predictor.EntityTable; table.Codes() != nil && table.Type().IsFloat() && !s.w.ranksAll {
		least = minCoded
	}
	return s.batched && (len(s.scores) >= least || len(s.sums) >= least)
}

// productPass is pass by products of matrices: the rows times the queries, and the
// weights times the rows.
func (s *Sweep) productPass() {
	s.prepareProducts()
	pool := s.w.model.Pool()
	s.next.Store(0)
	s.worker.Store(0)
	pool.Run((*productJob)(s), &s.w.task)
	s.next.Store(0)
	pool.Run((*combineJob)(s), &s.w.task)
}

// prepareProducts packs the queries and makes room.
func (s *Sweep) prepareProducts() {
	p, predictor := &s.products, &s.w.model.Predictor
	width := predictor.EntityTable.Width()
	p.low = nil
	block, columns := productRows, width
	if multipliesIntegers(s.w.model) {
		p.low = s.w.model.LowBytes()
	}
	if p.low != nil {
		block, columns = integerRows, quant.Columns(width)
	}
	p.stride = columns + 16 // at 2 kB, rows of sums would be in each other's way in the cache
	sums := (len(s.sums) + 15) &^ 15
	s.shape = splitProducts(s.w.model.NumEntities(), p.stride, sums, block)
	p.vectors, p.terms, p.weights = reuse.Slice(p.vectors, len(s.scores)*width), product.Two, product.Three
	for i := range s.scores {
		score, vector := &s.scores[i], p.vectors[i*width:(i+1)*width]
		if score.cosine {
			normalize(vector, score.query)
		} else {
			copy(vector, score.query)
		}
	}
	if codes := predictor.EntityTable.Codes(); codes != nil && predictor.EntityTable.Type().IsFloat() {
		p.weights = product.Two
	}
	p.exact = p.low == nil || !s.prepareIntegers()
	if p.exact {
		for i := range s.scores {
			if !s.scores[i].cosine {
				p.terms = max(p.terms, s.w.model.ScoreTerms(p.vectors[i*width:(i+1)*width]))
			}
		}
		p.queries.Pack(product.Of(p.vectors, len(s.scores), width, width).T(), p.terms)
	}
	for len(p.workers) < s.w.model.Pool().Size() {
		p.workers = append(p.workers, productScratch{})
	}
	for i := range p.workers {
		w := &p.workers[i]
		w.scores = reuse.Slice(w.scores, len(s.scores)*s.shape.block)
		w.numbers = reuse.Slice(w.numbers, len(s.sums)*s.shape.block)
	}
	for len(p.sums) < s.shape.chunks {
		p.sums = append(p.sums, nil)
	}
	for c := range s.shape.chunks {
		p.sums[c] = reuse.Slice(p.sums[c], sums*p.stride)
	}
}

// multipliesIntegers reports whether the machine multiplies integers, and rows can be made of
// them.
func multipliesIntegers(m *Model) bool {
	table := &m.Predictor.EntityTable
	codes := table.Codes()
	return codes != nil && table.Type().IsFloat() && product.HasIntegers()
}

// prepareIntegers packs the queries as integers. It reports false where a query is not finite or
// too large: then products are those of float32 numbers.
func (s *Sweep) prepareIntegers() bool {
	p, width := &s.products, s.w.model.Predictor.EntityTable.Width()
	columns := quant.Columns(width)
	p.whole.Reset(len(s.scores), columns)
	for i := range s.scores {
		if _, ok := p.whole.AddNumbers(p.vectors[i*width:(i+1)*width], s.scores[i].dst); !ok {
			return false
		}
	}
	return true
}

// normalize computes dst = x / ‖x‖, or 0 where x is.
func normalize(dst, x []float32) {
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

// productJob is a sweep as a job of the worker pool, which multiplies chunks.
type productJob Sweep

// Work takes chunks until none is left.
func (j *productJob) Work() {
	s := (*Sweep)(j)
	w := &s.products.workers[s.worker.Add(1)-1]
	n := s.w.model.NumEntities()
	for c := int(s.next.Add(1)) - 1; c < s.shape.chunks; c = int(s.next.Add(1)) - 1 {
		first := c * s.shape.perChunk
		for i := first; i < first+s.shape.perChunk; i++ {
			b := sweepBlock{index: i, chunk: c, lo: i * s.shape.block, hi: min((i+1)*s.shape.block, n)}
			if b.lo < b.hi {
				s.scoreProducts(b, w)
				s.loopBlock(b)
				s.sumProducts(b, w, i == first)
			}
		}
	}
}

// scoreProducts computes all scores of the rows of a block.
func (s *Sweep) scoreProducts(b sweepBlock, w *productScratch) {
	if len(s.scores) == 0 {
		return
	}
	predictor, n := &s.w.model.Predictor, b.hi-b.lo
	if !s.products.exact {
		s.integerProducts(b, w)
		return
	}
	rows, scales := w.matrix(&predictor.EntityTable, b)
	w.block.Pack(rows, s.products.terms)
	product.MulT(w.scores, n, &w.block, &s.products.queries)
	w.invert(predictor.EntityNorms[b.lo:b.hi])
	if scales != nil {
		simd.Mul(w.inverses[:n], w.inverses[:n], scales)
	}
	for i := range s.scores {
		dst, scores := s.scores[i].dst[b.lo:b.hi], w.scores[i*n:(i+1)*n]
		switch {
		case s.scores[i].cosine:
			simd.Mul(dst, scores, w.inverses[:n])
		case scales != nil:
			simd.Mul(dst, scores, scales)
		default:
			copy(dst, scores)
		}
	}
}

// matrix returns the rows of a block for products. Those of a table of codes alone are the codes,
// each row of which is to be multiplied by its scale, otherwise scales are nil.
func (w *productScratch) matrix(table *model.Table, b sweepBlock) (rows product.Matrix, scales []float32) {
	if !table.Type().IsFloat() {
		return table.CodeMatrix(b.lo, b.hi, &w.converted), table.Codes().Scales[b.lo:b.hi]
	}
	return table.Matrix(b.lo, b.hi, &w.converted), nil
}

// integerProducts computes all scores of the rows of a block, which are integers.
func (s *Sweep) integerProducts(b sweepBlock, w *productScratch) {
	predictor := &s.w.model.Predictor
	codes := predictor.EntityTable.Codes()
	columns := quant.Columns(codes.Width)
	s.products.whole.Mul(&w.integers, b.lo, codes.Codes[b.lo*columns:b.hi*columns], s.products.low[b.lo*columns:b.hi*columns], codes.Scales[b.lo:b.hi])
	inverted := false
	for i := range s.scores {
		if !s.scores[i].cosine {
			continue
		}
		if !inverted {
			inverted = true
			w.invert(predictor.EntityNorms[b.lo:b.hi])
		}
		dst := s.scores[i].dst[b.lo:b.hi]
		simd.Mul(dst, dst, w.inverses[:len(dst)])
	}
}

// invert computes the inverses of norms. Products take a norm that is not normal for that of
// a zero row.
func (w *productScratch) invert(norms []float32) {
	for i, norm := range norms {
		if w.inverses[i] = 0; norm >= 0x1p-126 {
			w.inverses[i] = 1 / norm
		}
	}
}

// sumProducts adds the weighted rows of a block to the sums of its chunk, of which it may
// be the first.
func (s *Sweep) sumProducts(b sweepBlock, w *productScratch, first bool) {
	if len(s.sums) == 0 {
		return
	}
	if s.products.low != nil {
		s.integerTotals(b, w, first)
		return
	}
	n := b.hi - b.lo
	rows, scales := w.matrix(&s.w.model.Predictor.EntityTable, b)
	for i := range s.sums {
		numbers, weights := w.numbers[i*n:(i+1)*n], s.sums[i].weights[0][b.lo:b.hi]
		if scales != nil {
			simd.Mul(numbers, weights, scales)
		} else {
			copy(numbers, weights)
		}
	}
	w.weights.Pack(product.Of(w.numbers, len(s.sums), n, n), s.products.weights)
	w.rows.Pack(rows, s.products.weights)
	multiply := product.MulAdd
	if first {
		multiply = product.Mul
	}
	multiply(s.products.sums[b.chunk], s.products.stride, &w.weights, &w.rows)
}

// integerTotals is sumProducts where rows are integers.
func (s *Sweep) integerTotals(b sweepBlock, w *productScratch, first bool) {
	p, codes := &s.products, s.w.model.Predictor.EntityTable.Codes()
	columns, sums := quant.Columns(codes.Width), p.sums[b.chunk]
	if first {
		clear(sums)
	}
	w.totals.Rows(len(s.sums), codes.Codes[b.lo*columns:b.hi*columns], p.low[b.lo*columns:b.hi*columns], b.hi-b.lo, columns)
	for i := range s.sums {
		weights := s.sums[i].weights[0][b.lo:b.hi]
		if !w.totals.Weigh(i, weights, codes.Scales[b.lo:b.hi]) {
			table := &s.w.model.Predictor.EntityTable
			table.AxpyRows(sums[i*p.stride:i*p.stride+table.Width()], b.lo, b.hi, weights)
		}
	}
	w.totals.AddTo(sums, p.stride)
}

// combineJob is a sweep as a job of the worker pool, which adds the sums of chunks.
type combineJob Sweep

// Work takes sums until none is left, and adds those of the chunks in order.
func (j *combineJob) Work() {
	s := (*Sweep)(j)
	p := &s.products
	for i := int(s.next.Add(1)) - 1; i < len(s.sums); i = int(s.next.Add(1)) - 1 {
		dst := s.sums[i].dst
		at := i * p.stride
		copy(dst, p.sums[0][at:])
		for _, chunk := range p.sums[1:s.shape.chunks] {
			simd.Add(dst, dst, chunk[at:at+len(dst)])
		}
	}
}
