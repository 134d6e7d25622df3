// Package sweep makes sweeps of a table: one pass over its rows that serves a request for several results at once. It
// knows neither plans nor users' queries; package rows reads the rows.
//
// The rows are split into tiles, which stay in the cache; consecutive tiles form a chunk. Workers
// take one chunk at a time and load each of its tiles once: they compute the columns first, then
// the sums, whose weights may depend on those columns. The partial sums of the chunks are added in
// order at the end, so the result does not depend on the number of threads. With tiles of 8 rows and
// chunks of two tiles, 40 rows are split as
//
//	rows    0…7  8…15 | 16…23  24…31 | 32…39
//	tile     0    1   |   2      3   |   4
//	chunk       0     |       1      |   2
//
// softmax.go weighs the rows of a sum and takes exponentials; refine.go repairs approximate results; largest.go
// chooses rows.
package sweep

import (
	"sync/atomic"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Request describes a sweep. Its inputs must be complete before the sweep; its outputs may be read afterwards; no
// buffer may be both. Work has the columns, the loop scores and their precision; the sweep counts the sums itself.
type Request struct {
	rows.Work
	Sums         []Sum
	Exponentials []Exponential
}

// Sum is Dst = Σ_e g[e]·E_e. If G is nil, g is the single vector in Weights. Otherwise it is an estimate, g = exp(Σ
// Scores − Top) ∘ Π Weights, stored in G; Top is the largest exponent. Scores are numbers of columns of the same
// request, or of its loop scores, from −1 downwards.
type Sum struct {
	Dst     []float32
	G       []float32
	Top     float64
	Scores  []int
	Weights [][]float32
}

// Exponential replaces X, the Dst of a column, by exp(X − Top), and sets Sum to its total. If From is not nil, it is
// the Dst of a column, and X first becomes By times From. Top is 0 if X is bounded, within ±64, otherwise the largest
// of X. Exponentials of bounded columns are computed while they are in the cache.
type Exponential struct {
	X       []float32
	From    []float32
	By      float32
	Bounded bool
	Top     float32
	Sum     float64
}

// MaxBounded bounds bounded scores: exponentials from −MaxBounded on are not denormal, and sums of exponentials up to
// MaxBounded are finite.
const MaxBounded = 64

// Sweep serves requests one after the other, reusing its memory. It serves one goroutine at a time.
type Sweep struct {
	Request
	source  rows.Source // of the last request
	n       int         // rows
	shape   rows.Shape
	each    int // tiles of a chunk
	chunks  int
	partial [][]float32 // of each chunk: the sums
	totals  []float64   // of each exponential and chunk
	tops    []float64   // of each chunk and sum: the largest exponent so far
	shifts  []float32   // of each tile and sum: the top when the tile was added
	workers []worker
	visit   func(worker, c int) // called by workers: allocated once
	finish  func(_, i int)
	pool    *pool.Pool // of the last sweep
	swap    swap       // of codes with rows
	reread  reread
}

// worker is the memory of a worker.
type worker struct {
	rows.Room
	weights [][]float32 // of a tile: the weights of each sum
}

// Bounds on the number of chunks: enough for many processors, but fewer if their partial sums would take too much
// memory, as in a large batch. They do not depend on the number of processors.
const (
	maxChunks    = 256
	minChunks    = 32
	partialBytes = 64 << 20
)

// apart is the number of weights beyond which those of two workers share no cache line, which both would write.
const apart = 8

// Begin empties the request.
func (p *Sweep) Begin() *Request {
	p.Columns = p.Columns[:0]
	p.Loops = p.Loops[:0]
	p.Sums = p.Sums[:0]
	p.Exponentials = p.Exponentials[:0]
	return &p.Request
}

// AddSum adds an empty sum to a list, reusing the memory of an earlier one.
func AddSum(list *[]Sum, dst, g []float32) *Sum {
	if len(*list) < cap(*list) {
		*list = (*list)[:len(*list)+1]
	} else {
		*list = append(*list, Sum{})
	}
	sum := &(*list)[len(*list)-1]
	*sum = Sum{Dst: dst, G: g, Scores: sum.Scores[:0], Weights: sum.Weights[:0]}
	return sum
}

// Score returns the scores with a number in Sum.Scores.
func (r *Request) Score(i int) []float32 {
	if i < 0 {
		return r.Loops[-1-i].Dst
	}
	return r.Columns[i].Dst
}

// Empty reports whether nothing is requested.
func (r *Request) Empty() bool {
	return len(r.Columns)+len(r.Loops)+len(r.Sums)+len(r.Exponentials) == 0
}

// Forget drops the buffers of the request.
func (p *Sweep) Forget() {
	p.Begin()
	clear(p.Columns[:cap(p.Columns)])
	clear(p.Loops[:cap(p.Loops)])
	clear(p.Sums[:cap(p.Sums)])
	clear(p.Exponentials[:cap(p.Exponentials)])
	p.source = nil
}

// made counts the sweeps of this process.
var made atomic.Int64

// Made returns how many sweeps this process has made.
func Made() int64 { return made.Load() }

// Run serves the request from a source or, if that refuses, from its exact source.
func (p *Sweep) Run(source rows.Source, workers *pool.Pool) {
	made.Add(1)
	p.NumSums = len(p.Sums)
	p.pool = workers
	shape, ok := source.Pack(&p.Work)
	for ; !ok; shape, ok = source.Pack(&p.Work) {
		source = source.Exact()
	}
	p.n = source.Len()
	p.source = source
	p.shape = shape
	p.split()
	p.prepare(workers.Size())
	workers.Each(p.chunks, p.visit)
	for i := range p.workers {
		clear(p.workers[i].weights)
	}
	workers.Each(len(p.Sums)+len(p.Exponentials), p.finish)
}

// Source returns the source that the last sweep read, nil before the first one.
func (p *Sweep) Source() rows.Source { return p.source }

// Start forgets the previous sweep.
func (p *Sweep) Start() { p.source = nil }

// ServedBy records that the request was served as part of another one.
func (p *Sweep) ServedBy(whole *Sweep) {
	p.n, p.source, p.shape = whole.n, whole.source, whole.shape
	p.pool = whole.pool
}

// ServedFrom records that the request was served without a sweep, from the results of one over a source. workers repair
// them.
func (p *Sweep) ServedFrom(source rows.Source, workers *pool.Pool) {
	p.source = source
	p.pool = workers
}

// split splits the rows into chunks.
func (p *Sweep) split() {
	tiles := p.tiles()
	most := min(maxChunks, max(minChunks, partialBytes/(4*p.shape.Stride*max(1, len(p.Sums)))))
	p.each = max(1, p.shape.Chunk/p.shape.Tile, (tiles+most-1)/most)
	p.chunks = (tiles + p.each - 1) / p.each
}

// Partials returns the number of partial sums of each sum of a table's rows, if there are few sums.
func Partials(t *table.Table) int { return min(maxChunks, 1+rows.Chunks(t)) }

// tiles returns the number of tiles.
func (p *Sweep) tiles() int { return (p.n + p.shape.Tile - 1) / p.shape.Tile }

// prepare makes room for partial results.
func (p *Sweep) prepare(workers int) {
	sums := len(p.Sums)
	for len(p.partial) < p.chunks {
		p.partial = append(p.partial, nil)
	}
	for c := range p.chunks {
		p.partial[c] = reuse.Slice(p.partial[c], p.shape.Sums*p.shape.Stride)
	}
	p.tops, p.shifts = reuse.Slice(p.tops, p.chunks*sums), reuse.Slice(p.shifts, p.chunks*p.each*sums)
	p.totals = reuse.Slice(p.totals, p.chunks*len(p.Exponentials))
	if len(p.workers) < workers {
		p.workers = make([]worker, workers)
		p.visit = func(worker, c int) { p.chunk(c, &p.workers[worker]) }
		p.finish = func(_, i int) {
			if i < len(p.Sums) {
				p.combine(i)
			} else {
				p.total(i - len(p.Sums))
			}
		}
	}
	for i := range p.workers {
		p.workers[i].weights = reuse.Slice(p.workers[i].weights, max(sums, apart))[:sums]
	}
}

// chunk visits the tiles of chunk c.
func (p *Sweep) chunk(c int, w *worker) {
	p.clear(c)
	first := c * p.each
	for i := first; i < first+p.each; i++ {
		t := tile{index: i, chunk: c, lo: i * p.shape.Tile, hi: min((i+1)*p.shape.Tile, p.n)}
		if t.lo >= t.hi {
			break
		}
		p.source.Scores(&p.Work, t.lo, t.hi, &w.Room)
		if len(p.Sums) > 0 {
			for k := range p.Sums {
				w.weights[k] = p.weigh(k, t)
			}
			p.source.Add(&p.Work, p.partial[c], w.weights, t.lo, t.hi, &w.Room)
		}
	}
	p.exponentiate(c, first*p.shape.Tile, min((first+p.each)*p.shape.Tile, p.n))
}

// tile is the rows lo to hi.
type tile struct{ index, chunk, lo, hi int }

// row returns the partial sum i of a chunk.
func (p *Sweep) row(chunk, i int) []float32 {
	return p.partial[chunk][i*p.shape.Stride : (i+1)*p.shape.Stride]
}

// add adds the partial sums i of all chunks, in order.
func (p *Sweep) add(dst []float32, i int) {
	copy(dst, p.row(0, i))
	for c := 1; c < p.chunks; c++ {
		simd.Add(dst, dst, p.row(c, i)[:len(dst)])
	}
}

// Bytes returns the memory of p for columns and exponentials, without its lists.
func (p *Sweep) Bytes() int64 {
	bytes := p.Work.Bytes() + 8*int64(cap(p.totals))
	for i := range p.workers {
		bytes += p.workers[i].Bytes()
	}
	return bytes
}

// Need bounds the memory for a request of columns of three terms and their exponentials.
func Need(m *model.Model, columns int) int64 {
	work, room := rows.Need(m, columns)
	chunks := min(maxChunks, m.NumEntities()/rows.LeastChunk(m.Predictor.EntityTable.Width())+1)
	return work + int64(m.Pool().Size())*room + 8*int64(columns)*int64(chunks)
}
