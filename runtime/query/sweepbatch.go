package query

import (
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// MinProduct is the number of scores or sums from which a sweep multiplies blocks of
// rows by matrices rather than by a few vectors.
const MinProduct = 8

// products holds the matrices of a batch's sweep: the queries, one a row, and for each
// worker the scores and the weights of a block.
type products struct {
	on      bool
	queries []float32 // scores × 2d
	workers []productScratch
}

// productScratch is the room of one worker for one block.
type productScratch struct {
	scores  []float32 // scores × rows
	weights []float32 // rows × sums
	rows    []float32 // rows × 2d, for tables that are not float32
}

// prepareProducts lays out the queries.
func (s *Sweep) prepareProducts() {
	p := &s.products
	table := &s.w.model.Predictor.EntityTable
	width := table.Width()
	p.queries = grow(p.queries, len(s.scores)*width)
	for i := range s.scores {
		copy(p.queries[i*width:(i+1)*width], s.scores[i].query)
	}
	for len(p.workers) < s.w.model.Pool().Size() {
		p.workers = append(p.workers, productScratch{})
	}
	for i := range p.workers {
		w := &p.workers[i]
		w.scores = grow(w.scores, len(s.scores)*s.shape.block)
		w.weights = grow(w.weights, len(s.sums)*s.shape.block)
		if table.Type() != model.Float32 {
			w.rows = grow(w.rows, s.shape.block*width)
		}
	}
}

// blockProducts is scoreBlock and sumBlock for a sweep with many scores or sums: the
// rows times the queries, and the weights times the rows, are matrix products.
func (s *Sweep) blockProducts(b sweepBlock, scratch *productScratch) {
	table := &s.w.model.Predictor.EntityTable
	n, width := b.hi-b.lo, table.Width()
	rows := table.Block(b.lo, b.hi, scratch.rows)
	simd.GemmNT(scratch.scores, s.products.queries, rows, len(s.scores), n, width)
	for i := range s.scores {
		copy(s.scores[i].dst[b.lo:b.hi], scratch.scores[i*n:(i+1)*n])
	}
	s.loopBlock(b)
	if len(s.sums) == 0 {
		return
	}
	for i := range s.sums {
		for r, g := range s.weigh(i, b) {
			scratch.weights[r*len(s.sums)+i] = g
		}
	}
	simd.GemmTN(s.partial[b.chunk], scratch.weights, rows, len(s.sums), width, n)
}
