package pass

import (
	"math"
	"math/bits"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/rows"
)

// What a pass over codes makes is off by some thousandths. It is repaired where that matters: the
// client chooses rows, Refine reads them exactly, and Repair puts them in the place of their codes in
// a sum,
//
//	Σ_e g[e]·E_e ≈ Σ_e ĝ[e]·Ê_e + Σ_{e read again} (g[e]·E_e − ĝ[e]·Ê_e).
//
// What remains is the error of rows that carry little of a result.

// Where a score that was read again turns out to be far too large, as none is on trained
// tables, other rows may be larger: then it is chosen again which are, some times.
const (
	maxScoreError = 1
	refineRounds  = 8
)

// repairs is the room for rows that are read again.
type repairs struct {
	exact rows.Float
	seen  [][]uint64 // of each column: a bit for each row that was read
	union []uint64
	ids   []int32
	fresh []float32 // weights of rows
	old   []float32 // the same so far
	sum   []float32 // with padding
}

// Coarse returns the codes if the last pass read them and there are rows beside them, otherwise nil:
// then there is nothing to repair.
func (p *Pass) Coarse() rows.Source {
	if codes, ok := p.source.(rows.Codes); ok && codes.Off() {
		return codes
	}
	return nil
}

// StartRefining prepares to repair what the last pass made. It reports false if there is nothing to
// repair.
func (p *Pass) StartRefining() bool {
	codes := p.Coarse()
	if codes == nil {
		return false
	}
	r, words := &p.repairs, (p.n+63)/64
	r.exact = codes.Exact().(rows.Float)
	r.union, r.sum = reuse.Slice(r.union, words), reuse.Slice(r.sum, p.shape.Stride)
	for len(r.seen) < len(p.Columns) {
		r.seen = append(r.seen, nil)
	}
	for i := range p.Columns {
		r.seen[i] = reuse.Slice(r.seen[i], words)
		clear(r.seen[i])
	}
	return true
}

// Refine computes some scores, numbered as in Sum.Scores, exactly in the rows that choose returns,
// given what is known of them by then.
func (p *Pass) Refine(scores []int, choose func() []int32) {
	for range refineRounds {
		fall, ids := float32(0), choose()
		for _, i := range scores {
			if i >= 0 { // loop scores are exact
				fall = max(fall, p.reread(i, ids))
			}
		}
		if fall < maxScoreError {
			return
		}
	}
}

// reread computes column i exactly in some rows, and returns by how much one was too large at most.
func (p *Pass) reread(i int, ids []int32) (fall float32) {
	c, seen := &p.Columns[i], p.repairs.seen[i]
	for _, e := range ids {
		if bit := uint64(1) << (e % 64); seen[e/64]&bit == 0 {
			seen[e/64] |= bit
			before := c.Dst[e]
			p.repairs.exact.ScoreAt(&p.Work, i, e)
			fall = max(fall, before-c.Dst[e])
		}
	}
	return fall
}

// Seen returns, in order, the rows in which any of some scores is exact, until it is called again.
func (p *Pass) Seen(scores []int) []int32 {
	r := &p.repairs
	clear(r.union)
	for _, i := range scores {
		if i >= 0 {
			for k, word := range r.seen[i] {
				r.union[k] |= word
			}
		}
	}
	r.ids = r.ids[:0]
	for k, word := range r.union {
		for ; word != 0; word &= word - 1 {
			r.ids = append(r.ids, int32(64*k+bits.TrailingZeros64(word)))
		}
	}
	return r.ids
}

// Repair puts rows in the place of their codes in sum i, with new weights if scores have changed.
func (p *Pass) Repair(i int, ids []int32) {
	r, sum := &p.repairs, &p.Sums[i]
	weights := sum.G
	if weights == nil {
		weights = sum.Weights[0]
	}
	r.fresh, r.old = reuse.Slice(r.fresh, len(ids)), reuse.Slice(r.old, len(ids))
	if len(sum.Scores) > 0 {
		p.raise(sum, ids)
	}
	before, after := 0.0, 0.0
	for k, e := range ids {
		r.old[k], r.fresh[k] = weights[e], weights[e]
		if len(sum.Scores) > 0 {
			r.fresh[k] = p.weight(sum, e)
			sum.G[e] = r.fresh[k]
		}
		before, after = before+math.Abs(float64(r.old[k])), after+math.Abs(float64(r.fresh[k]))
	}
	if after < before/8 { // rounding would show where so much is taken away
		clear(sum.Dst)
		r.exact.AddAll(sum.Dst, weights, r.sum[:len(sum.Dst)])
		return
	}
	clear(r.sum)
	p.source.AddAt(r.sum, ids, r.old)
	simd.ScaleAdd(sum.Dst, sum.Dst, -1, r.sum[:len(sum.Dst)])
	r.exact.AddAt(sum.Dst, ids, r.fresh)
}

// raise scales an estimate down where a score that was read again is larger than all were before, so
// that no weight exceeds 1.
func (p *Pass) raise(sum *Sum, ids []int32) {
	top := sum.Largest
	for _, e := range ids {
		top = max(top, p.exponent(sum, e))
	}
	if top > sum.Largest {
		by := float32(math.Exp(sum.Largest - top))
		simd.Scale(sum.G, sum.G, by)
		simd.Scale(sum.Dst, sum.Dst, by)
		sum.Largest = top
	}
}

// exponent returns the sum of the scores of a row.
func (p *Pass) exponent(sum *Sum, e int32) float64 {
	exponent := float32(0)
	for _, i := range sum.Scores {
		exponent += p.Score(i)[e]
	}
	return float64(exponent)
}

// weight returns the weight of a row in an estimate, from its scores.
func (p *Pass) weight(sum *Sum, e int32) float32 {
	g := float32(math.Exp(p.exponent(sum, e) - sum.Largest))
	for _, x := range sum.Weights {
		g *= x[e]
	}
	return g
}
