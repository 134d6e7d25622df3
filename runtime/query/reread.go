package query

import (
	"math"
	"math/bits"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// After a pass over codes, the rows that matter are read again from the exact table, which
// stands beside the codes:
//
//	of each score         the rows of largest softmax, which make up its normaliser
//	of each state         the rows that are likely to be largest in it: by the product of its
//	                      messages, observed links included, as far as they are known
//	of each cosine        the rows of largest cosine
//	of each sum           the rows of largest weight
//
// There the scores are exact, and so are the weights of an estimate, which follow from them; in
// the sum the row takes the place of its codes:
//
//	Σ_e g[e]·E_e ≈ Σ_e ĝ[e]·Ê_e + Σ_{e read again} (g[e]·E_e − ĝ[e]·Ê_e).
//
// What remains is the error of rows that carry little of a state.

// How many rows are read again: of each score and of each cosine, and of each state and sum.
// Of a state, rows that are at most a few parts in a hundred smaller than the last of those
// are too, for codes do not tell which is larger: slackBuckets is how many times by up to 0.8%. Of
// the 9,200 answers that are the ten best of 920 queries of 23 shapes on FB15k-237, these change
// one, half as many rows three, and twice as many none; those take a tenth longer.
const (
	rereadScore = 32
	rereadState = 128
	rereadMost  = 512
)

// Where a score that was read again turns out to be far too large, as none is on trained
// tables, other rows may be larger: then it is looked again which are, some times.
const (
	maxScoreError = 1
	rereadRounds  = 8
)

// rereads is the room for rows that are read again.
type rereads struct {
	likely, part Vector     // n each
	seen         [][]uint64 // of each score: a bit for each row that was read
	union        []uint64
	exact        []float32 // of rows: products, or new weights
	old          []float32 // of rows: norms, or weights so far
	sum          Embedding // with padding
	joined       []bool    // of each score: it is part of a state that was looked at
	selection
}

// readAgain reads the rows that matter after a pass over codes.
func (s *Sweep) readAgain() {
	table := &s.w.model.Predictor.EntityTable
	if !table.Type().IsFloat() {
		return // there is nothing but codes
	}
	r := &s.again
	r.prepare(table.Rows(), len(s.scores), s.columns())
	for i := range s.scores {
		c := &s.scores[i]
		if c.cosine {
			s.cosinesAgain(c)
			continue
		}
		for range rereadRounds {
			simd.ExpSum(r.part, c.dst, simd.Max(c.dst))
			if s.scoresAgain(i, r.largest(r.part, rereadScore, rereadScore)) < maxScoreError {
				break
			}
		}
	}
	for _, list := range [][]sweepSum{s.sums, s.states} {
		for i := range list {
			sum := &list[i]
			if sum.g == nil || len(sum.scores) == 0 || !s.newState(sum) {
				continue
			}
			for range rereadRounds {
				if s.stateAgain(sum) < maxScoreError {
					break
				}
			}
		}
	}
	for i := range s.scores {
		if c := &s.scores[i]; !r.joined[i] && c.links != nil {
			s.message(r.likely, c.dst, c.links)
			s.scoresAgain(i, r.largest(r.likely, rereadState, rereadMost))
		}
	}
	for i := range s.sums {
		s.sumAgain(i)
	}
}

// prepare makes room, and forgets what was read in an earlier pass.
func (r *rereads) prepare(n, scores, columns int) {
	words := (n + 63) / 64
	r.likely, r.part, r.union = reuse.Slice(r.likely, n), reuse.Slice(r.part, n), reuse.Slice(r.union, words)
	r.sum, r.joined = reuse.Slice(r.sum, columns), reuse.Slice(r.joined, scores)
	clear(r.joined)
	for len(r.seen) < scores {
		r.seen = append(r.seen, nil)
	}
	for i := range scores {
		r.seen[i] = reuse.Slice(r.seen[i], words)
		clear(r.seen[i])
	}
}

// scoresAgain computes score i of some rows exactly, and returns by how much one was too
// large at most.
func (s *Sweep) scoresAgain(i int, rows []int32) (fall float32) {
	table, c, seen := &s.w.model.Predictor.EntityTable, &s.scores[i], s.again.seen[i]
	for _, e := range rows {
		if bit := uint64(1) << (e % 64); seen[e/64]&bit == 0 {
			seen[e/64] |= bit
			before := c.dst[e]
			table.DotRows(c.dst[e:e+1], int(e), int(e)+1, c.query)
			fall = max(fall, before-c.dst[e])
		}
	}
	return fall
}

// cosinesAgain computes the largest cosines exactly.
func (s *Sweep) cosinesAgain(c *sweepScore) {
	r, p := &s.again, &s.w.model.Predictor
	rows := r.largest(c.dst, rereadScore, rereadScore)
	r.exact, r.old = reuse.Slice(r.exact, len(rows)), reuse.Slice(r.old, len(rows))
	for i, e := range rows {
		p.EntityTable.DotRows(r.exact[i:i+1], int(e), int(e)+1, c.query)
		r.old[i] = p.EntityNorms[e]
	}
	kernels.DivideNorms(r.exact, r.old, c.query)
	for i, e := range rows {
		c.dst[e] = r.exact[i]
	}
}

// newState reports whether a sum estimates a state that was not looked at: of two estimates of one
// state the first has all of its scores.
func (s *Sweep) newState(sum *sweepSum) (news bool) {
	for _, f := range sum.scores {
		if f.index >= 0 {
			news = news || !s.again.joined[f.index]
			s.again.joined[f.index] = true
		}
	}
	return news
}

// stateAgain computes the scores of a state exactly for the rows that are likely to be
// largest in it, and returns by how much one was too large at most.
func (s *Sweep) stateAgain(sum *sweepSum) (fall float32) {
	r := &s.again
	for k, f := range sum.scores {
		to, links := r.likely, Vector(nil)
		if k > 0 {
			to = r.part
		}
		if f.index >= 0 { // not a loop score, which is exact
			links = s.scores[f.index].links
		}
		s.message(to, f.x, links)
		if k > 0 {
			simd.Mul(r.likely, r.likely, r.part)
		}
	}
	for _, x := range sum.weights {
		simd.Mul(r.likely, r.likely, x)
	}
	rows := r.largest(r.likely, rereadState, rereadMost)
	for _, f := range sum.scores {
		if f.index >= 0 {
			fall = max(fall, s.scoresAgain(f.index, rows))
		}
	}
	return fall
}

// message computes the message of a score with its links, up to a factor. On a part of a split
// model it is that of the part alone, and links need not be normalised: no exchange is waited for
// to choose rows.
func (s *Sweep) message(dst, scores, links Vector) {
	total := simd.ExpSum(dst, scores, simd.Max(scores))
	weight := float32(s.w.settings.Weight)
	simd.Scale(dst, dst, (1-weight)/float32(total))
	if links != nil && s.w.Part != nil {
		if sum := simd.SumAbove(links, 0); sum > 0 {
			weight /= float32(sum)
		}
	}
	if links != nil {
		simd.ScaleAdd(dst, dst, weight, links)
	}
}

// sumAgain puts rows in the place of their codes in sum i: those whose scores were read
// again, and those of largest weight.
func (s *Sweep) sumAgain(i int) {
	r, sum, table := &s.again, &s.sums[i], &s.w.model.Predictor.EntityTable
	weights := sum.g
	if weights == nil {
		weights = sum.weights[0]
	}
	if len(sum.scores) == 0 {
		r.largest(weights, rereadState, rereadMost)
	} else {
		r.unite(sum)
	}
	r.exact, r.old = reuse.Slice(r.exact, len(r.rows)), reuse.Slice(r.old, len(r.rows))
	if len(sum.scores) > 0 {
		s.raiseAgain(i)
	}
	before, after := 0.0, 0.0
	for k, e := range r.rows {
		r.old[k], r.exact[k] = weights[e], weights[e]
		if len(sum.scores) > 0 {
			r.exact[k] = s.weight(i, e)
			sum.g[e] = r.exact[k]
		}
		before, after = before+float64(abs(r.old[k])), after+float64(abs(r.exact[k]))
	}
	if after < before/8 { // rounding would show where so much is taken away
		table.WeightedSum(sum.dst, weights, s.w.scratch)
		return
	}
	clear(r.sum)
	s.coded.table.AxpyAt(r.sum, r.rows, r.old)
	simd.ScaleAdd(sum.dst, sum.dst, -1, r.sum[:len(sum.dst)])
	table.AxpyAt(sum.dst, r.rows, r.exact)
}

// raiseAgain scales the estimate of sum i down where a score that was read again is larger than
// all were before, so that no weight exceeds 1.
func (s *Sweep) raiseAgain(i int) {
	sum, top := &s.sums[i], s.largest[i]
	for _, e := range s.again.rows {
		top = max(top, s.exponent(i, e))
	}
	if top > s.largest[i] {
		by := float32(math.Exp(s.largest[i] - top))
		simd.Scale(sum.g, sum.g, by)
		simd.Scale(sum.dst, sum.dst, by)
		s.largest[i] = top
	}
}

// exponent returns the sum of the scores of entity e in sum i.
func (s *Sweep) exponent(i int, e int32) float64 {
	exponent := float32(0)
	for _, f := range s.sums[i].scores {
		exponent += f.x[e]
	}
	return float64(exponent)
}

// weight returns the weight of entity e in the estimate of sum i, from its scores.
func (s *Sweep) weight(i int, e int32) float32 {
	sum, g := &s.sums[i], float32(math.Exp(s.exponent(i, e)-s.largest[i]))
	for _, x := range sum.weights {
		g *= x[e]
	}
	return g
}

// unite lists the rows that were read for any score of a sum.
func (r *rereads) unite(sum *sweepSum) {
	clear(r.union)
	for _, f := range sum.scores {
		if f.index >= 0 {
			for k, word := range r.seen[f.index] {
				r.union[k] |= word
			}
		}
	}
	r.rows = r.rows[:0]
	for k, word := range r.union {
		for ; word != 0; word &= word - 1 {
			r.rows = append(r.rows, int32(64*k+bits.TrailingZeros64(word)))
		}
	}
}
