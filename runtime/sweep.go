package runtime

import (
	"math"
	"sync/atomic"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
)

// Sweep is one pass over the entity table that computes several things at once:
// scores, readouts, and sums of rows. A plan describes it and runs it; what it
// reads must be complete before, what it writes may be read after. Nothing that
// it writes may share a buffer with anything that it reads.
//
// Rows are taken in blocks that fit the cache; whatever needs a row is done while
// its block is there. Blocks belong to chunks, whose partial sums are added in
// order: the result does not depend on the number of threads.
type Sweep struct {
	w       *Workspace
	scores  []sweepScore
	loops   []sweepLoop
	sums    []sweepSum
	shape   sweepShape
	partial [][]float32 // of each chunk: a row of 2d numbers for each sum
	tops    []float64   // of chunk × sum: what exponents are relative to
	shifts  []float32   // of block × sum: the same, while the block went by
	next    atomic.Int32
	worker  atomic.Int32
	// products are set up for the sweeps of batches.
	products products
	batched  bool
}

// sweepScore is dst[e] = ⟨E_e, q⟩, divided by the norms for a cosine.
type sweepScore struct {
	dst    Vector
	query  Embedding
	cosine bool
}

// sweepLoop is dst[e] = ±⟨r⊗E_e, E_e⟩.
type sweepLoop struct {
	dst      Vector
	relation RelationID
	sign     Sign
}

// sweepSum is dst = Σ_e g[e]·E_e with g = Π weights ∘ exp(Σ scores − max). A sum
// without scores reads its one weight as it is; otherwise g is kept.
type sweepSum struct {
	dst     Embedding
	g       Vector
	scores  []Vector
	weights []Vector
}

// Bounds on what a block holds, and on the chunks: there are enough for many processors,
// but fewer if their partial sums took too much memory, as those of a large batch do.
const (
	blockBytes   = 256 << 10
	maxChunks    = 256
	minChunks    = 32
	partialBytes = 64 << 20
)

// sweepShape is how the rows are split.
type sweepShape struct {
	block, perChunk, chunks int // rows, blocks, chunks
}

// splitRows splits n rows for a sweep with some number of sums. Processors do not
// matter, so that results do not depend on them.
func splitRows(n, width, sums int) sweepShape {
	block := max(8, min(256, blockBytes/(4*width))&^7)
	blocks := (n + block - 1) / block
	most := min(maxChunks, max(minChunks, partialBytes/(4*width*max(1, sums))))
	perChunk := max(1, (blocks+most-1)/most)
	return sweepShape{block: block, perChunk: perChunk, chunks: (blocks + perChunk - 1) / perChunk}
}

// Sweep starts the description of a pass over the table.
func (w *Workspace) Sweep() *Sweep {
	s := &w.sweep
	s.w = w
	s.scores, s.loops, s.sums = s.scores[:0], s.loops[:0], s.sums[:0]
	return s
}

// Score adds dst[e] = ⟨x, E_e⟩. Like all that describe a pass, it returns what it is going to
// write.
func (s *Sweep) Score(dst Vector, x Embedding) Vector {
	s.scores = append(s.scores, sweepScore{dst: dst, query: x})
	return dst
}

// Cosine adds dst[e] = cos(x, E_e).
func (s *Sweep) Cosine(dst Vector, x Embedding) Vector {
	s.scores = append(s.scores, sweepScore{dst: dst, query: x, cosine: true})
	return dst
}

// LoopScore adds dst[e] = ±⟨r⊗E_e, E_e⟩.
func (s *Sweep) LoopScore(dst Vector, r RelationID, sign Sign) Vector {
	s.loops = append(s.loops, sweepLoop{dst, r, sign})
	return dst
}

// Embed adds dst = Σ_e x[e]·E_e.
func (s *Sweep) Embed(dst Embedding, x Vector) Embedding {
	sum := s.sum(dst, nil)
	sum.weights = append(sum.weights, x)
	return dst
}

// Guess adds dst = Σ_e g[e]·E_e for a guess of a state: the exponential of the
// sum of the factors that this sweep scores, times the other factors. g is kept
// for Correct. All scores must be added before. A batch guesses nothing: reading
// the table once more is cheap for many, and Correct does it.
func (s *Sweep) Guess(dst Embedding, g Vector, factors ...Vector) (Embedding, Vector) {
	if s.w.batch == nil {
		s.sum(dst, g)
		for _, f := range factors {
			s.Factor(f)
		}
	}
	return dst, g
}

// Factor adds a factor to the guess that was added last.
func (s *Sweep) Factor(x Vector) {
	if s.w.batch != nil {
		return
	}
	sum := &s.sums[len(s.sums)-1]
	if s.makes(x) {
		sum.scores = append(sum.scores, x)
	} else {
		sum.weights = append(sum.weights, x)
	}
}

// sum adds an empty sum, using the lists of an earlier one again.
func (s *Sweep) sum(dst Embedding, g Vector) *sweepSum {
	if len(s.sums) < cap(s.sums) {
		s.sums = s.sums[:len(s.sums)+1]
	} else {
		s.sums = append(s.sums, sweepSum{})
	}
	sum := &s.sums[len(s.sums)-1]
	*sum = sweepSum{dst: dst, g: g, scores: sum.scores[:0], weights: sum.weights[:0]}
	return sum
}

// makes reports whether the sweep scores into x.
func (s *Sweep) makes(x Vector) bool {
	for i := range s.scores {
		if &s.scores[i].dst[0] == &x[0] {
			return true
		}
	}
	for i := range s.loops {
		if &s.loops[i].dst[0] == &x[0] {
			return true
		}
	}
	return false
}

// Run makes the pass, unless the workspace has an error. There is nothing to do if the
// pass is for guesses of a batch alone.
func (s *Sweep) Run() {
	if s.w.Err() == nil && len(s.scores)+len(s.loops)+len(s.sums) > 0 {
		s.w.Together(s)
	}
}

// Together makes one pass that does what each of the sweeps does.
func (s *Sweep) Together(all []Joint) {
	if s.w.batch == nil {
		s.pass()
		return
	}
	m := &s.w.batch.merged
	m.w = s.w
	m.scores, m.loops, m.sums = m.scores[:0], m.loops[:0], m.sums[:0]
	for _, j := range all {
		one := j.(*Sweep)
		m.scores = append(m.scores, one.scores...)
		m.loops = append(m.loops, one.loops...)
		m.sums = append(m.sums, one.sums...)
	}
	m.batched = len(all) > 1
	m.pass()
}

// pass makes the pass.
func (s *Sweep) pass() {
	shape := splitRows(s.w.model.NumEntities(), 2*s.w.model.Predictor.Rank, len(s.sums))
	s.shape = shape
	s.prepare(shape)
	s.products.on = false
	if s.batched {
		s.prepareProducts(shape)
	}
	s.next.Store(0)
	s.worker.Store(0)
	s.w.model.pool.Run((*sweepJob)(s), &s.w.task)
	for i := range s.scores {
		if c := &s.scores[i]; c.cosine {
			kernels.DivideNorms(c.dst, s.w.model.Predictor.EntityNorms, c.query)
		}
	}
	for i := range s.sums {
		s.combine(i, shape)
	}
}

// prepare makes room for partial sums.
func (s *Sweep) prepare(shape sweepShape) {
	width := 2 * s.w.model.Predictor.Rank
	for len(s.partial) < shape.chunks {
		s.partial = append(s.partial, nil)
	}
	for c := range shape.chunks {
		s.partial[c] = grow(s.partial[c], len(s.sums)*width)
	}
	for len(s.tops) < shape.chunks*len(s.sums) {
		s.tops = append(s.tops, 0)
	}
	for len(s.shifts) < shape.chunks*shape.perChunk*len(s.sums) {
		s.shifts = append(s.shifts, 0)
	}
}

// sweepJob is a sweep as a job of the worker pool.
type sweepJob Sweep

// Work takes chunks until there are none left.
func (s *sweepJob) Work() { (*Sweep)(s).work() }

func (s *Sweep) work() {
	shape := s.shape
	worker := int(s.worker.Add(1)) - 1
	for {
		c := int(s.next.Add(1)) - 1
		if c >= shape.chunks {
			return
		}
		clear(s.partial[c])
		for i := range s.sums {
			s.tops[c*len(s.sums)+i] = math.Inf(-1)
		}
		for b := c * shape.perChunk; b < (c+1)*shape.perChunk; b++ {
			s.block(b, c, worker, shape)
		}
	}
}

// block does all that needs the rows of block b, which belongs to chunk c.
func (s *Sweep) block(b, c, worker int, shape sweepShape) {
	m := s.w.model
	n, table := m.NumEntities(), &m.Predictor.EntityTable
	lo, hi := b*shape.block, min((b+1)*shape.block, n)
	if lo >= hi {
		return
	}
	if s.products.on {
		s.blockProducts(b, c, lo, hi, &s.products.workers[worker])
		return
	}
	list := s.scores
	for len(list) >= 4 {
		table.DotRows4(list[0].dst[lo:hi], list[1].dst[lo:hi], list[2].dst[lo:hi], list[3].dst[lo:hi], lo, hi,
			list[0].query, list[1].query, list[2].query, list[3].query)
		list = list[4:]
	}
	if len(list) >= 2 {
		table.DotRows2(list[0].dst[lo:hi], list[1].dst[lo:hi], lo, hi, list[0].query, list[1].query)
		list = list[2:]
	}
	if len(list) == 1 {
		table.DotRows(list[0].dst[lo:hi], lo, hi, list[0].query)
	}
	for i := range s.loops {
		l := &s.loops[i]
		table.LoopScores(l.dst[lo:hi], lo, hi, m.Predictor.Relation(l.relation), bool(l.sign))
	}
	i := 0
	for ; i+1 < len(s.sums); i += 2 {
		table.AxpyRows2(s.row(c, i), s.row(c, i+1), lo, hi, s.weigh(i, b, c, lo, hi), s.weigh(i+1, b, c, lo, hi))
	}
	if i < len(s.sums) {
		table.AxpyRows(s.row(c, i), lo, hi, s.weigh(i, b, c, lo, hi))
	}
}

// row returns the partial sum i of a chunk.
func (s *Sweep) row(chunk, i int) []float32 {
	width := 2 * s.w.model.Predictor.Rank
	return s.partial[chunk][i*width : (i+1)*width]
}

// grow returns a slice of length n, x itself if it is long enough.
func grow(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}

// weigh returns the weights of a block's rows in sum i. Exponents are taken
// relative to the largest so far; when that grows, the partial sum of the chunk is
// scaled down. The factors of g so far are left as they are and mended by combine.
func (s *Sweep) weigh(i, block, chunk, lo, hi int) []float32 {
	sum, partial := &s.sums[i], chunk*len(s.sums)+i
	if sum.g == nil {
		return sum.weights[0][lo:hi]
	}
	g := sum.g[lo:hi]
	if len(sum.scores) == 0 {
		s.tops[partial] = 0
		copy(g, sum.weights[0][lo:hi])
		for _, x := range sum.weights[1:] {
			simd.Mul(g, g, x[lo:hi])
		}
		return g
	}
	copy(g, sum.scores[0][lo:hi])
	for _, x := range sum.scores[1:] {
		simd.Add(g, g, x[lo:hi])
	}
	if top := float64(simd.Max(g)); top > s.tops[partial] {
		if old := s.tops[partial]; !math.IsInf(old, -1) {
			acc := s.row(chunk, i)
			simd.Scale(acc, acc, float32(math.Exp(old-top)))
		}
		s.tops[partial] = top
	}
	shift := float32(s.tops[partial])
	s.shifts[block*len(s.sums)+i] = shift
	simd.ExpSum(g, g, shift)
	for _, x := range sum.weights {
		simd.Mul(g, g, x[lo:hi])
	}
	return g
}

// combine adds the partial sums of all chunks, in order, and brings the blocks of
// g to one scale.
func (s *Sweep) combine(i int, shape sweepShape) {
	sum := &s.sums[i]
	clear(sum.dst)
	if len(sum.scores) == 0 { // nothing was scaled
		for c := range shape.chunks {
			simd.Add(sum.dst, sum.dst, s.row(c, i))
		}
		return
	}
	top := math.Inf(-1)
	for c := range shape.chunks {
		top = max(top, s.tops[c*len(s.sums)+i])
	}
	for c := range shape.chunks {
		by := float32(math.Exp(s.tops[c*len(s.sums)+i] - top))
		simd.ScaleAdd(sum.dst, sum.dst, by, s.row(c, i))
	}
	n := len(sum.g)
	for b := 0; b*shape.block < n; b++ {
		by := float32(math.Exp(float64(s.shifts[b*len(s.sums)+i]) - top))
		if by != 1 {
			lo, hi := b*shape.block, min((b+1)*shape.block, n)
			simd.Scale(sum.g[lo:hi], sum.g[lo:hi], by)
		}
	}
}
