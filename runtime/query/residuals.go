package query

import (
	"math"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/rows"
)

// Tolerances of Correct. The residual of an entity is left out where it is at most
// relativeResidual of the state, or totalResidual spread over all entities: together
// such residuals weigh less than the rounding of the state itself.
const (
	relativeResidual = 2e-6
	totalResidual    = 1e-7
	// leftResidual bounds what is left out in total, relative to the sum of the rows.
	leftResidual = 3e-6
	// largestEstimate bounds the estimate, relative to the state.
	largestEstimate = 4
	// coarser is how many times as much may be left out where the rows were summed from codes,
	// each of which is off by some thousandths.
	coarser = 50
)

// A correction is the residual Σ_e (x[e] − k·g[e] − l·h[e])·E_e over the entities where
// the difference matters. Workers share ranges of entities, called parts; the sums of
// the parts are added in order, so the result does not depend on the number of threads.
type correction struct {
	w        *Workspace
	x, g, h  Vector
	k, l     float32
	relative float32 // residuals up to relative·x[e] or floor are left out
	floor    float32
	parts    []correctionPart
	next     atomic.Int32
	// crowded says that most rows differ, so that nothing was summed.
	crowded bool
	lengths lengths     // of all parts
	codes   rows.Source // that small residuals are summed from, nil if none are
	left    float64     // leftResidual, or more where the rows were summed from codes
}

// lengths are sums of row lengths ‖E_e‖, each weighted by the entity's residual that was
// left out, its state, and its estimates k·g and l·h.
type lengths struct{ left, state, estimates float64 }

// add adds the lengths of other entities.
func (l *lengths) add(left, state, estimates float64) {
	l.left, l.state, l.estimates = l.left+left, l.state+state, l.estimates+estimates
}

// correctionPart holds the residual of a range of entities.
type correctionPart struct {
	rows    []int32   // entities with a residual: at most half of the range
	weights []float32 // their residuals
	sum     []float32 // with the padding of codes
	total   float32   // of the sizes of the weights
	// Of a block: x − (k·g + l·h), its sizes, up to which of them it is left out, and the floor
	// of that.
	difference, size, most, floor [float32Run]float32
	crowded                       bool
	lengths                       lengths
}

const (
	// partRows is the least number of entities that is worth a thread.
	partRows = 4096
	// maxParts bounds the number of parts, each of which has its own sum.
	maxParts = 256
	// exactShare is which share of a part's residual an entity has, at least, whose row is
	// read where there are codes. Those of the others are as good as in the sum of a pass.
	exactShare = 1. / 256
	// fold is how many numbers are summed in float32 before they are added in
	// float64.
	float32Run = 256
)

// prepare makes room on first use, as batches never correct.
func (c *correction) prepare(n, width int) {
	c.parts = make([]correctionPart, max(1, min(n/partRows, maxParts)))
	each := (n + len(c.parts) - 1) / len(c.parts)
	for i := range c.parts {
		p := &c.parts[i]
		p.rows, p.weights = make([]int32, 0, each/2+1), make([]float32, 0, each/2+1)
		p.sum = make([]float32, quant.Columns(width))
	}
}

// run finds the residuals and sums their rows.
func (c *correction) run(w *Workspace) {
	if c.parts == nil {
		c.prepare(w.model.NumEntities(), 2*w.model.Predictor.Rank)
	}
	c.w = w
	c.next.Store(0)
	if len(c.parts) == 1 {
		c.Work()
	} else {
		w.model.Pool().Run(c, &w.task)
	}
	c.crowded, c.lengths = false, lengths{}
	for i := range c.parts {
		p := &c.parts[i]
		c.crowded = c.crowded || p.crowded
		c.lengths.add(p.lengths.left, p.lengths.state, p.lengths.estimates)
	}
}

// Work takes parts until none is left.
func (c *correction) Work() {
	n := len(c.x)
	each := (n + len(c.parts) - 1) / len(c.parts)
	for {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.parts) {
			return
		}
		p := &c.parts[i]
		for k := range p.floor {
			p.floor[k] = c.floor
		}
		c.find(p, i*each, min((i+1)*each, n))
		clear(p.sum)
		if !p.crowded {
			c.sumRows(p)
		}
	}
}

// sumRows adds up the residuals of a part: small ones from codes, if they may be.
func (c *correction) sumRows(p *correctionPart) {
	table, exact := rows.Float{Model: c.w.model.Model}, 0
	if c.codes == nil {
		exact = len(p.rows)
	} else {
		least := exactShare * p.total
		for i, d := range p.weights {
			if abs(d) >= least {
				p.rows[exact], p.rows[i] = p.rows[i], p.rows[exact]
				p.weights[exact], p.weights[i] = p.weights[i], p.weights[exact]
				exact++
			}
		}
		c.codes.AddAt(p.sum, p.rows[exact:], p.weights[exact:])
	}
	table.AddAt(p.sum, p.rows[:exact], p.weights[:exact])
}

// find collects the residuals of the entities from lo to hi.
func (c *correction) find(p *correctionPart, lo, hi int) {
	p.rows, p.weights = p.rows[:0], p.weights[:0]
	p.crowded, p.lengths, p.total = false, lengths{}, 0
	for from := lo; from < hi && !p.crowded; from += float32Run {
		c.findBlock(p, from, min(from+float32Run, hi))
	}
}

// findBlock collects those of at most float32Run entities.
func (c *correction) findBlock(p *correctionPart, lo, hi int) {
	x, g, h, norms := c.x[lo:hi], c.g[lo:hi], c.h[lo:hi], c.w.model.Predictor.EntityNorms[lo:hi]
	d, size, most := p.difference[:len(x)], p.size[:len(x)], p.most[:len(x)]
	var state, estimate, other, left [1]float32
	simd.ScaleAdd(d, x, -c.k, g)
	simd.DotRows(state[:], x, norms)
	simd.DotRows(estimate[:], g, norms)
	if c.l != 0 {
		simd.ScaleAdd(d, d, -c.l, h)
		simd.DotRows(other[:], h, norms)
	}
	simd.Scale(size, d, -1)
	simd.MaxOf(size, d, size)
	simd.Scale(most, x, c.relative)
	simd.MaxOf(most, p.floor[:len(x)], most)
	rows, weights, total := p.rows, p.weights, p.total
	for e, v := range size {
		if v <= most[e] {
			continue
		}
		if len(rows) == cap(rows) {
			p.crowded = true
			return
		}
		rows, weights, total = append(rows, int32(lo+e)), append(weights, d[e]), total+v
		size[e] = 0
	}
	p.rows, p.weights, p.total = rows, weights, total
	simd.DotRows(left[:], size, norms)
	p.lengths.add(float64(left[0]), float64(state[0]), float64(abs(c.k)*estimate[0]+abs(c.l)*other[0]))
}

// usable reports whether to add the residual: not if most rows differ, nor if k·g or l·h
// is so much larger than x that they would have to cancel, losing the digits of x.
func (c *correction) usable() bool {
	return !c.crowded && c.lengths.estimates <= largestEstimate*c.lengths.state
}

// add adds the sum to dst.
func (c *correction) add(dst Embedding) {
	for i := range c.parts {
		simd.Add(dst, dst, c.parts[i].sum[:len(dst)])
	}
}

// check computes the sum anew where the residuals that were left out may show in dst:
// where the rows cancel, or those of the largest entries are zero.
func (c *correction) check(dst Emb, x Vec) {
	if c.lengths.left > c.left*size(c.w.Embedding(dst)) {
		c.w.embed(dst, x)
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
