package plan

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Tiles has the ops of plans for small tables: see Plan.Small. A loop over tiles of rows, which stay in the
// first-level cache, replaces a sweep. It scores a tile, exponentiates the scores and sums the rows weighted by them:
//
//	for t.Next() {
//		t.Score(scores, query)
//		t.Estimate(sum, scores)
//	}
//
// Observed links are lists. After a loop, Message, State and Correct complete its results and add the changes by
// links: see tilelinks.go and tilestate.go.
type Tiles struct {
	w       *Workspace
	table   []float32
	inverse []float32 // of the norm of each row
	width   int
	n, size int // rows of the table and of a tile

	lo, hi int // of the tile
	first  bool
	done   int // rows of the loop
	// backward goes through the tiles from the last one. Loops alternate, so that each starts with the tiles that the
	// last one has left in the cache.
	backward bool
	rows     []float32
	columns  []column // of the loop, and of the last one after it
	pending  int      // scores to compute
	sums     []tileSum
	column   int // of the next score in the tile
	sum      int // of the next sum

	product  []float32 // of a tile
	observed Vector    // the part of a message from links
	lists    []linked  // by the number of the value
	many     bool      // links since the last loop reach many entities
	again    bool      // many before the last loop: no estimates, because correcting them is no faster than summing all rows
	states   []tileState
	factors  []factor // of the state under construction
}

// column is a score of every entity: g = exp(score − top) up to the end of the tile, with the sum total. A column of
// cosines has no g.
type column struct {
	value      Vec
	x          Vector // the scores or cosines
	g          Vector
	query      Embedding
	unit       Embedding // the normalised vector of a cosine column
	top, total float64
	message    sent
}

// tileSum is Σ_e exp(Σ scores − top)·Π others·E_e up to the end of the tile.
type tileSum struct {
	acc Embedding
	top float64
}

// Tiles starts a run of a plan for small tables.
func (w *Workspace) Tiles() *Tiles {
	t := &w.tiles
	table := &w.model.Predictor.EntityTable
	t.w = w
	t.table = table.Float32s()
	t.inverse = w.model.inverseNorms()
	t.n = table.Rows()
	t.width = table.Width()
	t.size = rows.TileRows(rows.TileNumbers, t.width)
	t.product = reuse.Slice(t.product, min(t.size, t.n))
	t.observed = reuse.Slice(t.observed, t.n)
	t.many = false
	t.states = t.states[:0]
	t.column = 0
	t.pending = 0
	t.done = 0
	t.backward = false
	return t
}

// Next goes to the next tile, and reports whether there is one. After the last one, a new loop starts.
func (t *Tiles) Next() bool {
	t.score()
	if t.done == t.n {
		t.done = 0
		t.backward = !t.backward
		t.again = t.many
		t.many = false
		return false
	}
	t.first = t.done == 0
	if t.first {
		t.columns = t.columns[:0]
		t.sums = t.sums[:0]
	}
	t.lo = t.done
	if t.backward {
		t.lo = (t.n - t.done - 1) / t.size * t.size
	}
	t.hi = min(t.lo+t.size, t.n)
	if t.backward {
		t.hi = t.n - t.done
	}
	t.done += t.hi - t.lo
	t.rows = t.table[t.lo*t.width : t.hi*t.width]
	t.column = 0
	t.sum = 0
	return true
}

// next returns the column of a value; the first tile adds it.
func (t *Tiles) next(v Vec) *column {
	i := t.column
	t.column++
	if t.first {
		if len(t.columns) == cap(t.columns) {
			t.columns = append(t.columns, column{})
		}
		t.columns = t.columns[:i+1]
		c := &t.columns[i]
		c.value = v
		c.x = t.w.Vector(v)
		c.top = math.Inf(-1)
		c.total = 0
		c.message.value = unsent
	}
	return &t.columns[i]
}

// Score computes ⟨x, E_e⟩ and exp(⟨x, E_e⟩ − top) for the entities of the tile, before the next other op: scores that
// follow one another read each row once.
func (t *Tiles) Score(dst Vec, x Emb) {
	c := t.next(dst)
	if t.first {
		c.query = t.w.Embedding(x)
	}
	t.pending++
}

// score computes the pending columns, by fours and twos.
func (t *Tiles) score() {
	c := t.columns[t.column-t.pending : t.column]
	t.pending = 0
	part := func(i int) []float32 { return c[i].x[t.lo:t.hi] }
	for len(c) > 0 {
		n := 1
		switch {
		case len(c) >= 4:
			n = 4
			simd.DotRows4(part(0), part(1), part(2), part(3), t.rows, c[0].query, c[1].query, c[2].query, c[3].query)
		case len(c) >= 2:
			n = 2
			simd.DotRows2(part(0), part(1), t.rows, c[0].query, c[1].query)
		default:
			simd.DotRows(part(0), t.rows, c[0].query)
		}
		for i := range n {
			t.exponentiate(&c[i])
		}
		c = c[n:]
	}
}

// LoopScore is Score for ±⟨r⊗E_e, E_e⟩.
func (t *Tiles) LoopScore(dst Vec, r graph.RelationID, s graph.Sign) {
	t.score()
	c := t.next(dst)
	kernels.LoopScores(c.x[t.lo:t.hi], t.rows, t.w.model.Predictor.Relation(r), bool(s))
	t.exponentiate(c)
}

// exponentiate exponentiates the scores of the tile, and rescales earlier ones to the new top.
func (t *Tiles) exponentiate(c *column) {
	if t.first {
		c.g = reuse.Slice(c.g, t.n)
	}
	x := c.x[t.lo:t.hi]
	if top := float64(simd.Max(x)); top > c.top {
		if !t.first {
			by := math.Exp(c.top - top)
			done := c.g[:t.lo]
			if t.backward {
				done = c.g[t.hi:]
			}
			simd.Scale(done, done, float32(by))
			c.total *= by
		}
		c.top = top
	}
	c.total += float64(simd.ExpSum(c.g[t.lo:t.hi], x, float32(c.top)))
}

// Cosine computes cos(x, E_e) for the entities of the tile.
func (t *Tiles) Cosine(dst Vec, x Emb) {
	t.score()
	c := t.next(dst)
	if t.first {
		from := t.w.Embedding(x)
		c.unit = reuse.Slice(c.unit, len(from))
		rows.Normalize(c.unit, from)
	}
	to := c.x[t.lo:t.hi]
	simd.DotRows(to, t.rows, c.unit)
	simd.Mul(to, to, t.inverse[t.lo:t.hi])
}

// inverses returns the inverse of each norm.
func inverses(norms []float32) []float32 {
	list := make([]float32, len(norms))
	rows.Invert(list, norms)
	return list
}

// nextSum returns the sum of a value; the first tile adds it.
func (t *Tiles) nextSum(v Emb) *tileSum {
	t.score()
	i := t.sum
	t.sum++
	if t.first {
		t.sums = append(t.sums, tileSum{t.w.Embedding(v), math.Inf(-1)})
		clear(t.sums[i].acc)
	}
	return &t.sums[i]
}

// Embed adds the rows of the tile, weighted by x.
func (t *Tiles) Embed(dst Emb, x Vec) {
	simd.AxpyRows(t.nextSum(dst).acc, t.rows, t.w.Vector(x)[t.lo:t.hi])
}

// Estimate adds the rows of the tile, weighted by the product of the factors: columns of the loop and messages.
func (t *Tiles) Estimate(dst Emb, factors ...Vec) {
	s := t.nextSum(dst)
	if len(factors) > mostFactors || t.many && slices.ContainsFunc(factors, func(f Vec) bool { return t.columnOf(f) != nil }) {
		return
	}
	top := 0.0
	var weights []float32
	for i, f := range factors {
		var x Vector
		if c := t.columnOf(f); c != nil {
			x = c.g
			top += c.top
		} else {
			x = t.w.Vector(f)
		}
		x = x[t.lo:t.hi]
		if i == 0 {
			weights = x
			continue
		}
		product := t.product[:len(x)]
		simd.Mul(product, weights, x)
		weights = product
	}
	if top > s.top && !t.first {
		simd.Scale(s.acc, s.acc, float32(math.Exp(s.top-top)))
	}
	s.top = top
	simd.AxpyRows(s.acc, t.rows, weights)
}

// columnOf returns the column of a score, nil if the loop has none.
func (t *Tiles) columnOf(v Vec) *column {
	for i := range t.columns {
		if t.columns[i].value == v {
			return &t.columns[i]
		}
	}
	return nil
}
