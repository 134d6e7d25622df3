package plan

import (
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/sweep"
)

// After a sweep of codes, the rows that matter are read again from the exact table:
//
//	of each score         the rows of largest softmax, which make up its normaliser
//	of each state         the rows that are likely to be largest in it: by the product of its
//	                      messages, observed links included, as far as they are known
//	of each cosine        the rows of largest cosine
//	of each sum           the rows of largest weight; of an estimate, when Correct knows the weights
//
// Here rows are chosen; package sweep repairs the results.
//
// Codes find the best entities but shift the ranks of the others. So a query that ranks all entities, such as Scores,
// reads the rows: its ranks are the same in a batch of any size, up to ties within the tolerance of the semantics.

// The number of rows to read again for each score and cosine, and for each state and sum. For a state, rows within a
// few percent of the last of these count too, since codes cannot order them. Of the 9,200 answers that are the ten
// best of 920 queries of 23 shapes on FB15k-237, these numbers change one, half as many rows three, and twice as many
// none at a tenth more time.
const (
	rereadScore = 32
	rereadState = 128
	rereadMost  = 512
)

// rereads holds the buffers for choosing rows.
type rereads struct {
	likely, part Vector // n each
	joined       []bool // of each score: part of a state already examined
	alone        [1]int // a score
	sweep.Selection
}

// readAgain reads the rows that matter again after a sweep of codes.
func (s *Sweep) readAgain() {
	s.readScoresAgain()
	p := &s.reader
	if p.Coarse() == nil {
		return
	}
	for i := range p.Sums {
		if sum := &p.Sums[i]; sum.G == nil {
			p.RefineSum(sum.Dst, sum.Weights[0], s.again.Largest(sum.Weights[0], rereadState, rereadMost))
		}
	}
}

// readScoresAgain is readAgain without sums. It may be repeated, for other links.
func (s *Sweep) readScoresAgain() {
	r := &s.again
	p := &s.reader
	if p.Coarse() == nil {
		return
	}
	n := s.w.model.NumEntities()
	r.likely, r.part = reuse.Slice(r.likely, n), reuse.Slice(r.part, n)
	r.joined = reuse.Slice(r.joined, len(p.Columns))
	clear(r.joined)
	for i := range p.Columns {
		r.alone[0] = i
		p.Refine(r.alone[:], func() []int32 {
			x := p.Columns[i].Dst
			if !p.Columns[i].Cosine {
				simd.ExpSum(r.part, x, simd.Max(x))
				x = r.part
			}
			return r.Largest(x, rereadScore, rereadScore)
		})
	}
	for _, list := range [][]sweep.Sum{p.Sums, s.states} {
		for i := range list {
			if list[i].G != nil {
				s.readState(list[i].Scores, list[i].Weights)
			}
		}
	}
	for i := range p.Columns {
		r.alone[0] = i
		if s.scores[i].links != nil {
			s.readState(r.alone[:], nil)
		}
	}
}

// readState reads the rows that are likely to be largest in a state, the product of the messages of some scores and
// of other factors, unless it was examined before: of two estimates of a state, the first has all its scores.
func (s *Sweep) readState(scores []int, factors []Vector) {
	r := &s.again
	news := false
	for _, i := range scores {
		if i >= 0 {
			news = news || !r.joined[i]
			r.joined[i] = true
		}
	}
	if !news {
		return
	}
	s.reader.Refine(scores, func() []int32 {
		for k, i := range scores {
			to := r.likely
			links := Vector(nil)
			if k > 0 {
				to = r.part
			}
			if i >= 0 {
				links = s.scores[i].links
			}
			s.message(to, s.reader.Score(i), links)
			if k > 0 {
				simd.Mul(r.likely, r.likely, r.part)
			}
		}
		for _, x := range factors {
			simd.Mul(r.likely, r.likely, x)
		}
		return r.Largest(r.likely, rereadState, rereadMost)
	})
}

// message computes the message of a score with its links, up to a factor. On a part of a split model it computes the
// part's own message, with links that need not be normalised: choosing rows waits for no exchange.
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
