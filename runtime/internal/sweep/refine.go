package sweep

import (
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/rows"
)

// What a sweep makes from codes, or with estimated weights, is approximate: it knows values x̂_e that
// are off by a little, while x_e takes a row of the table. It is repaired where that matters: rows are
// chosen, read exactly, and the difference is added.
//
//	scores    refine.go     s_e in the rows that the client chooses, until none falls
//	sums      residual.go   Σ_{e∈R} (x[e]·v_e − ŵ[e]·v̂_e) over the rows R that differ or weigh much
//
// Two more repairs need bounds of a plan's answer, which a sweep does not know: package plan reads the
// rows of all entities that may be among the k best (bounds.go), and package fit makes the rows of
// truth degrees of all candidates that may bring an entity among them (contest.go).
//
// What remains is the error of rows that carry little of a result. If too many rows matter, a sweep
// over exact rows, with exact weights, makes the result anew.

// Where a score that was read again turns out to be far too large, as none is on trained
// tables, other rows may be larger: then it is chosen again which are, some times.
const (
	maxScoreError = 1
	refineRounds  = 8
)

// Coarse returns the codes if the last sweep read them and there are rows beside them, otherwise nil:
// then there is nothing to repair.
func (p *Sweep) Coarse() rows.Source {
	if codes, ok := p.source.(rows.Codes); ok && codes.Off() {
		return codes
	}
	return nil
}

// Refine computes some scores, numbered as in Sum.Scores, exactly in the rows that choose returns.
// choose sees the results of the rounds before. The last sweep was Coarse.
func (p *Sweep) Refine(scores []int, choose func() []int32) {
	for range refineRounds {
		if p.readRows(scores, choose()) < maxScoreError {
			return
		}
	}
}

// reread is the room for reading rows again: workers share the rows, some at a time.
type reread struct {
	scores []int
	rows   []int32
	falls  []float32      // of each part, the largest
	read   func(_, i int) // part i: made once
}

// rowsAgain is how many rows are worth a thread.
const rowsAgain = 64

// readRows computes some scores exactly in some rows, and returns the most by which one falls.
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

// readPart is readRows of a part of the rows.
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

// RefineSum puts some rows in the place of their codes in Σ_e x[e]·E_e. The last sweep was Coarse.
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
