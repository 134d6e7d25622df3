package sweep

import (
	"math"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/rows"
)

// The results of a sweep with codes or estimated weights are approximate: the values x̂_e have small errors, and an
// exact x_e costs reading a row of the table. They are repaired where that matters: rows are chosen, read exactly,
// and the difference is added.
//
//	scores    refine.go     s_e in the rows that the client chooses, until none falls
//	sums      residual.go   Σ_{e∈R} (x[e]·v_e − ŵ[e]·v̂_e) over the rows R that differ or weigh much
//
// Two more repairs need bounds of a plan's answer, unknown to a sweep: package plan reads the rows of all entities
// that may be among the k best (bounds.go), and package fit makes the rows of truth degrees of all candidates that
// may bring an entity among them (contest.go).
//
// The remaining error is in rows that contribute little to a result. If too many rows matter, a sweep over exact
// rows, with exact weights, recomputes the result.

// If a repaired score turns out to be far too large, which does not happen on trained tables, other rows may be
// larger: then rows are chosen again, a few times.
const (
	maxScoreError = 1
	refineRounds  = 8
)

// Coarse returns the codes if the last sweep read them and the table has exact rows too, otherwise nil: then there is
// nothing to repair.
func (p *Sweep) Coarse() rows.Source {
	if codes, ok := p.source.(rows.Codes); ok && codes.Off() {
		return codes
	}
	return nil
}

// Refine computes scores, numbered as in Sum.Scores, exactly in the rows that choose returns. choose sees the results
// of earlier rounds. The last sweep must be Coarse.
func (p *Sweep) Refine(scores []int, choose func() []int32) {
	for range refineRounds {
		if p.readRows(scores, choose()) < maxScoreError {
			return
		}
	}
}

// reread is the memory for reading rows again: workers share the rows, some at a time.
type reread struct {
	scores []int
	rows   []int32
	falls  []float32      // of each part, the largest
	read   func(_, i int) // part i: allocated once
}

// rowsAgain is the number of rows that justifies a thread.
const rowsAgain = 16

// readRows computes scores exactly in some rows, and returns the largest decrease.
func (p *Sweep) readRows(scores []int, rows []int32) (fall float32) {
	r := &p.reread
	r.scores = scores
	r.rows = rows
	r.falls = reuse.Slice(r.falls, (len(rows)+rowsAgain-1)/rowsAgain)
	if r.read == nil {
		r.read = func(_, i int) { r.falls[i] = p.readPart(r.rows[i*rowsAgain : min((i+1)*rowsAgain, len(r.rows))]) }
	}
	p.pool.Each(len(r.falls), r.read)
	for _, x := range r.falls {
		fall = max(fall, x)
	}
	return fall
}

// readPart is readRows for a part of the rows.
func (p *Sweep) readPart(part []int32) (fall float32) {
	exact := p.source.Exact().(rows.Float)
	for _, i := range p.reread.scores {
		if i < 0 || p.Columns[i].Wide {
			continue // loop scores are exact, wide columns exact enough
		}
		x := p.Columns[i].Dst
		for _, e := range part {
			before := x[e]
			exact.ScoreAt(&p.Work, i, e)
			fall = max(fall, before-x[e])
		}
	}
	return fall
}

// RefineSum replaces codes by exact rows in Σ_e x[e]·E_e. The last sweep must be Coarse.
func (p *Sweep) RefineSum(dst, x []float32, ids []int32) {
	r := &p.swap
	r.begin(p.shape.Stride)
	for _, e := range ids {
		r.rows = append(r.rows, e)
		r.weights = append(r.weights, -x[e])
		r.exact = append(r.exact, x[e])
	}
	r.add(p.source, ids)
	simd.Add(dst, dst, r.sum[:len(dst)])
}

// mostExtended bounds the exponents of the weights that Extend adds.
const mostExtended = 32

// Extend completes results that are known for the first n rows, with the tops of the sums: it adds the other rows to
// them, read exactly. The request must be ServedFrom its source. Extend reports false if an estimate would be too large.
func (p *Sweep) Extend(exact rows.Float, n int, tops []float64) bool {
	var ids []int32
	for e := n; e < exact.Len(); e++ {
		ids = append(ids, int32(e))
		for i := range p.Columns {
			exact.ScoreAt(&p.Work, i, int32(e))
		}
	}
	if len(ids) == 0 {
		return true
	}

	for i := range p.Sums {
		sum := &p.Sums[i]
		source := p.source // whose rows a residual replaces
		weights := sum.G
		if weights == nil {
			source = exact
			weights = sum.Weights[0]
		} else if !p.extendWeights(sum, n, tops[i]) {
			return false
		}
		p.swap.begin(quant.Columns(len(sum.Dst)))
		source.AddAt(p.swap.sum, ids, weights[n:])
		simd.Add(sum.Dst, sum.Dst, p.swap.sum[:len(sum.Dst)])
	}
	return true
}

// extendWeights computes the weights of an estimate from row n on, and reports whether they are small enough.
func (p *Sweep) extendWeights(sum *Sum, n int, top float64) bool {
	for e := n; e < len(sum.G); e++ {
		exponent := -top
		for _, x := range sum.Scores {
			exponent += float64(p.Score(x)[e])
		}
		if exponent > mostExtended {
			return false
		}
		sum.G[e] = float32(math.Exp(exponent))
		for _, x := range sum.Weights {
			sum.G[e] *= x[e]
		}
	}
	return true
}
