package query

import (
	"slices"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/model"
)

// Sweep is one pass over the entity table that computes several things at once: scores,
// readouts, and weighted sums of rows. A plan describes the pass, then runs it. Its operands must
// be complete before it runs; its results may be read after. None of them may share a buffer.
//
// The table is split into blocks of rows that fit into the first-level cache; consecutive
// blocks form a chunk. Workers take one chunk at a time and load each of its blocks once: they
// compute the scores first, then the sums, whose weights may depend on those scores. The
// partial sums of the chunks are added in order at the end, so the result does not depend on
// the number of threads. With blocks of 8 rows and chunks of two blocks, 40 rows are split as
//
//	rows    0…7  8…15 | 16…23  24…31 | 32…39
//	block    0    1   |   2      3   |   4
//	chunk       0     |       1      |   2
//
// sweeprun.go makes the pass, sweepsoftmax.go weighs and adds the rows of a sum, sweepbatch.go
// makes the pass of a batch with many scores or sums by matrix products, and sweepcodes.go
// reads codes instead of rows.
type Sweep struct {
	w       *Workspace
	scores  []sweepScore
	loops   []sweepLoop
	sums    []sweepSum
	states  []sweepSum // that a batch's query estimates: none is summed
	shape   sweepShape
	partial [][]float32 // of each chunk: a row of 2d numbers for each sum
	tops    []float64   // of each chunk and sum: the largest exponent so far
	shifts  []float32   // of each block and sum: the top when the block was weighed
	next    atomic.Int32
	worker  atomic.Int32
	largest []float64 // of each sum: the largest exponent
	// products are set up for the sweeps of batches.
	products products
	batched  bool
	// Where what the pass reads and writes lies, and the links of scores: see steps.go.
	reads, links, writes []place
	// coded and again are for passes over codes.
	coded coded
	again rereads
}

// sweepScore is dst[e] = ⟨E_e, q⟩, divided by the norms for a cosine. links are those of the
// message that the score is of, if they are known.
type sweepScore struct {
	value  Vec
	dst    Vector
	query  Embedding
	links  Vector
	cosine bool
}

// sweepLoop is dst[e] = ±⟨r⊗E_e, E_e⟩.
type sweepLoop struct {
	value    Vec
	dst      Vector
	relation model.RelationID
	sign     model.Sign
}

// sweepSum is dst = Σ_e g[e]·E_e. For an embedding g is nil, and the one weight takes
// its place. For an estimate, g = Π weights ∘ exp(Σ scores − max) is stored.
type sweepSum struct {
	dst     Embedding
	place   place // of dst
	g       Vector
	scores  []sweepFactor
	weights []Vector
}

// sweepFactor is a score of the sweep as a factor of an estimate: number index of Sweep.scores,
// or a loop score if that is −1.
type sweepFactor struct {
	index int
	x     Vector
}

// Bounds on the size of a block, of a chunk, and on the number of chunks. The rows of a
// block stay in the first-level cache from its scores to its sums. There are enough
// chunks for many processors, but fewer if their partial sums would take too much
// memory, as those of a large batch do.
const (
	tileNumbers  = 8 << 10
	chunkRows    = 1024 // what a partial sum adds up in float32
	chunkBytes   = 256 << 10
	maxChunks    = 256
	minChunks    = 32
	partialBytes = 64 << 20
)

// sweepShape says how the rows are split.
type sweepShape struct {
	block    int // rows of a block
	perChunk int // blocks of a chunk
	chunks   int
}

// splitTiles splits n rows of the given width, each of some bytes, for a sweep with some
// number of sums that takes them in tiles. The number of processors plays no part, so
// results do not depend on it.
func splitTiles(n, width, bytes, sums int) sweepShape {
	return splitRows(n, width, sums, max(4, min(256, tileNumbers/width)&^3), bytes)
}

// splitRows splits n rows into blocks and those into chunks.
func splitRows(n, width, sums, block, bytes int) sweepShape {
	blocks := (n + block - 1) / block
	most := min(maxChunks, max(minChunks, partialBytes/(4*width*max(1, sums))))
	perChunk := max(1, min(chunkBytes/(block*bytes), chunkRows/block), (blocks+most-1)/most)
	return sweepShape{block: block, perChunk: perChunk, chunks: (blocks + perChunk - 1) / perChunk}
}

// Sweep starts the description of a pass over the table.
func (w *Workspace) Sweep() *Sweep {
	s := &w.sweep
	if w.deferred.current != nil { // while another is described
		if w.inner == nil {
			w.inner = &Sweep{}
		}
		s = w.inner
	}
	s.w = w
	s.reads, s.links, s.writes = s.reads[:0], s.links[:0], s.writes[:0]
	s.scores, s.loops, s.sums, s.states = s.scores[:0], s.loops[:0], s.sums[:0], s.states[:0]
	return s
}

// Score adds dst[e] = ⟨x, E_e⟩. Like all methods that describe a pass, it returns the future
// result. links, at most one, are the observed links of the message that the score is of, as
// Workspace.Message takes them: if the table has codes, the rows that they lead to are checked more
// closely.
func (s *Sweep) Score(dst Vec, x Emb, links ...Vec) Vec {
	c := sweepScore{value: dst, dst: s.w.Vector(dst), query: s.w.Embedding(x)}
	for _, l := range links {
		c.links = s.w.Vector(l)
		s.links = append(s.links, s.w.at(l))
	}
	s.scores = append(s.scores, c)
	s.reads, s.writes = append(s.reads, s.w.atEmb(x)), append(s.writes, s.w.at(dst))
	return dst
}

// Cosine adds dst[e] = cos(x, E_e).
func (s *Sweep) Cosine(dst Vec, x Emb) Vec {
	s.scores = append(s.scores, sweepScore{value: dst, dst: s.w.Vector(dst), query: s.w.Embedding(x), cosine: true})
	s.reads, s.writes = append(s.reads, s.w.atEmb(x)), append(s.writes, s.w.at(dst))
	return dst
}

// LoopScore adds dst[e] = ±⟨r⊗E_e, E_e⟩.
func (s *Sweep) LoopScore(dst Vec, r model.RelationID, sign model.Sign) Vec {
	s.loops = append(s.loops, sweepLoop{dst, s.w.Vector(dst), r, sign})
	s.writes = append(s.writes, s.w.at(dst))
	return dst
}

// Embed adds dst = Σ_e x[e]·E_e.
func (s *Sweep) Embed(dst Emb, x Vec) Emb {
	sum := add(&s.sums, s.w.Embedding(dst), nil)
	sum.place, sum.weights = s.w.atEmb(dst), append(sum.weights, s.w.Vector(x))
	s.reads, s.writes = append(s.reads, s.w.at(x)), append(s.writes, s.w.atEmb(dst))
	return dst
}

// Estimate adds dst = Σ_e g[e]·E_e, where g estimates a state: the exponential of the sum of
// the factors that this sweep scores, times the other factors. g is stored, up to a constant
// factor, for Correct. Add all scores first. In a batch nothing is computed here: one more pass
// over the table is cheap for many queries, and Correct makes it.
func (s *Sweep) Estimate(dst Emb, g Vec, factors ...Vec) Estimate {
	add(s.estimates(), s.w.Embedding(dst), s.w.Vector(g))
	s.writes = append(s.writes, s.w.atEmb(dst), s.w.at(g))
	for _, f := range factors {
		s.Factor(f)
	}
	return Estimate{dst, g}
}

// estimates returns the list that estimates are added to.
func (s *Sweep) estimates() *[]sweepSum {
	if s.w.Batched() {
		return &s.states
	}
	return &s.sums
}

// Factor adds a factor to the latest estimate.
func (s *Sweep) Factor(x Vec) {
	list := *s.estimates()
	sum := &list[len(list)-1]
	if i, ok := s.computes(x); ok {
		sum.scores = append(sum.scores, sweepFactor{i, s.w.Vector(x)})
		return
	}
	sum.weights = append(sum.weights, s.w.Vector(x))
	s.reads = append(s.reads, s.w.at(x))
}

// add adds an empty sum to a list, in the memory of an earlier one.
func add(list *[]sweepSum, dst Embedding, g Vector) *sweepSum {
	if len(*list) < cap(*list) {
		*list = (*list)[:len(*list)+1]
	} else {
		*list = append(*list, sweepSum{})
	}
	sum := &(*list)[len(*list)-1]
	*sum = sweepSum{dst: dst, g: g, scores: sum.scores[:0], weights: sum.weights[:0]}
	return sum
}

// computes reports whether x is a score of this sweep, and which; −1 is a loop score.
func (s *Sweep) computes(x Vec) (index int, ok bool) {
	for i := range s.scores {
		if s.scores[i].value == x {
			return i, true
		}
	}
	return -1, slices.ContainsFunc(s.loops, func(l sweepLoop) bool { return l.value == x })
}
