package runtime

import (
	"math"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/simd"
)

// Tolerances of Correct: entries whose residual is below are left out. Together
// they weigh less than the rounding of the state itself.
const (
	relativeResidual = 2e-6
	totalResidual    = 1e-7
	// leftResidual bounds all of them together, relative to the sum of the rows.
	leftResidual = 3e-6
	// largestGuess bounds the guess, relative to the state.
	largestGuess = 4
)

// A correction is Σ_e (x[e] − k·g[e] − l·h[e])·E_e over the entities where that
// difference matters. Entities are split into parts, which threads share; their
// sums are added in order, so that the result does not depend on the threads.
type correction struct {
	w        *Workspace
	x, g, h  Vector
	k, l     float32
	relative float32 // differences up to relative·x[e] or floor are left out
	floor    float32
	parts    []correctionPart
	next     atomic.Int32
	// crowded says that most rows differ: there is no sum.
	crowded bool
	// left bounds the length of what was left out; state and guesses are the sums
	// of the lengths of all rows with their weights in x and in k·g and l·h.
	left, state, guesses float64
}

// correctionPart is what is found in a range of entities.
type correctionPart struct {
	rows                 []int32   // that differ: at most half of them
	weights              []float32 // the differences
	sum                  Embedding
	crowded              bool
	left, state, guesses float64
}

const (
	// partRows is the least number of entities of a part that is worth a thread.
	partRows = 4096
	// maxParts bounds the number of parts, each of which has a sum of its own.
	maxParts = 256
	// fold is how many numbers are summed in float32 before they are added in
	// float64.
	fold = 64
)

// prepare makes room, on first use: batches never correct.
func (c *correction) prepare(n, width int) {
	c.parts = make([]correctionPart, max(1, min(n/partRows, maxParts)))
	each := (n + len(c.parts) - 1) / len(c.parts)
	for i := range c.parts {
		p := &c.parts[i]
		p.rows, p.weights, p.sum = make([]int32, 0, each/2+1), make([]float32, 0, each/2+1), make(Embedding, width)
	}
}

// run finds the rows and sums them.
func (c *correction) run(w *Workspace) {
	if c.parts == nil {
		c.prepare(w.model.NumEntities(), 2*w.model.Predictor.Rank)
	}
	c.w = w
	c.next.Store(0)
	if len(c.parts) == 1 {
		c.Work()
	} else {
		w.model.pool.Run(c, &w.task)
	}
	c.crowded, c.left, c.state, c.guesses = false, 0, 0, 0
	for i := range c.parts {
		p := &c.parts[i]
		c.crowded = c.crowded || p.crowded
		c.left, c.state, c.guesses = c.left+p.left, c.state+p.state, c.guesses+p.guesses
	}
}

// Work takes parts until there are none left.
func (c *correction) Work() {
	n, table := len(c.x), &c.w.model.Predictor.EntityTable
	each := (n + len(c.parts) - 1) / len(c.parts)
	for {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.parts) {
			return
		}
		p := &c.parts[i]
		c.find(p, i*each, min((i+1)*each, n))
		clear(p.sum)
		if !p.crowded {
			table.AxpyAt(p.sum, p.rows, p.weights)
		}
	}
}

// find looks for differences among the entities from lo to hi.
func (c *correction) find(p *correctionPart, lo, hi int) {
	x, g, h, norms := c.x[lo:hi], c.g[lo:hi], c.h[lo:hi], c.w.model.Predictor.EntityNorms[lo:hi]
	k, l, relative, floor := c.k, c.l, c.relative, c.floor
	rows, weights := p.rows[:0], p.weights[:0]
	p.crowded, p.left, p.state, p.guesses = false, 0, 0, 0
	for from := 0; from < len(x); from += fold {
		var state, guesses, left float32
		for e := from; e < min(from+fold, len(x)); e++ {
			a, b := k*g[e], l*h[e]
			state += x[e] * norms[e]
			guesses += (abs(a) + abs(b)) * norms[e]
			d := x[e] - (a + b)
			if abs(d) <= max(relative*x[e], floor) {
				left += abs(d) * norms[e]
				continue
			}
			if len(rows) == cap(rows) {
				p.crowded = true
				return
			}
			rows, weights = append(rows, int32(lo+e)), append(weights, d)
		}
		p.left, p.state, p.guesses = p.left+float64(left), p.state+float64(state), p.guesses+float64(guesses)
	}
	p.rows, p.weights = rows, weights
}

// good reports false if most rows differ, or if k·g or l·h is so much larger than
// x that they would have to cancel: the digits of x would be lost.
func (c *correction) good() bool { return !c.crowded && c.guesses <= largestGuess*c.state }

// add adds the sum to dst.
func (c *correction) add(dst Embedding) {
	for i := range c.parts {
		simd.Add(dst, dst, c.parts[i].sum)
	}
}

// check takes the sum anew where what was left out may show in dst: where the
// rows cancel, or those of the largest entries are zero.
func (c *correction) check(dst Embedding) {
	size := 0.0
	for _, v := range dst {
		size += float64(v) * float64(v)
	}
	if c.left > leftResidual*math.Sqrt(size) {
		c.w.embed(dst, c.x)
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
