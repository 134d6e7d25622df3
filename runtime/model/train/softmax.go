package train

import (
	"math"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// blockRows is the number of candidates per task: a multiple of the tile height of all multiplication units, small
// enough for the second-level cache.
const blockRows = 224

// gradientRows is the number of candidates that the gradient by queries processes at a time: large enough that it
// rarely reads and writes the gradients.
const gradientRows = 2 * blockRows

// terms is the precision of the products of a step: bfloat16 numbers, summed in float32, if the processor multiplies
// these. Sampling a batch adds far more noise to the gradient than their rounding. The tables and the scores of
// targets are float32.
const terms = product.One

// example is a query with its target: a row of the table, and the same row among the candidates, -1 if absent.
type example struct{ query, target, at int32 }

// softmax is a cross-entropy of queries over candidates, with its gradients. It reuses its memory between steps.
//
// For query vectors Q (queries × width) and candidates E (n × width) the scores
// are S = E·Qᵀ, a row for each candidate. With n of all N rows drawn uniformly,
// an example (q, t) has the loss log Z − S[t,q], where
//
//	Z = exp S[t,q] + N/n · Σ exp S[e,q] over the candidates e ≠ t,
//
// which is the exact cross-entropy if the candidates are all rows.
type softmax struct {
	workers    *pool.Pool
	queries    matrix // Q
	scores     matrix // S, then its exponentials relative to tops
	tops, sums matrix // of each block of candidates
	// gradient is the gradient with respect to Q, up to a factor.
	gradient matrix
	// scaled is Q times the gradients with respect to exponentials: the gradient of candidate e is the exponentials
	// of e times scaled.
	scaled  matrix
	weights []float32 // of each query: the weight of its exponentials
	pulls   []float32 // of each example: the gradient with respect to the target's score
	targets []float64 // of each example: the target's score

	asked    product.Right // Qᵀ
	pulled   product.Right // scaled
	packings []packing     // by worker
}

// packing is the memory of a worker for the operands of its products.
type packing struct {
	left  product.Left
	right product.Right
}

// reset makes room for count queries of the given width, which the caller then writes to queries.
func (s *softmax) reset(count, width int) {
	if s.queries.width != width {
		for _, m := range []*matrix{&s.queries, &s.gradient, &s.scaled} {
			*m = newMatrix(0, width)
		}
	}
	for _, m := range []*matrix{&s.queries, &s.gradient, &s.scaled} {
		m.fit(count)
	}
	if s.scores.width < count {
		wide := newMatrix(0, count)
		s.scores = wide
		s.tops = wide
		s.sums = wide
	}
	for len(s.packings) < s.workers.Size() {
		s.packings = append(s.packings, packing{})
	}
}

// run computes loss and gradients. Examples are ordered by query. The candidates are one in correction of all rows.
// weight is the weight of an example.
func (s *softmax) run(candidates, all *matrix, examples []example, correction, weight float64) (loss float64) {
	s.score(candidates)
	s.scoreTargets(all, examples)
	tops := s.top(examples)
	blocks := (candidates.rows + blockRows - 1) / blockRows
	s.sums.fit(blocks)
	s.workers.Each(blocks, func(_, b int) {
		sums := s.sums.row(b)
		clear(sums)
		for i := b * blockRows; i < min((b+1)*blockRows, candidates.rows); i++ {
			row := s.scores.row(i)
			simd.ExpShifts(row, row, tops, sums)
		}
	})
	loss = s.weigh(tops, examples, correction, weight)
	s.differentiate(candidates, all, examples)
	return loss
}

// score computes the scores of all candidates and the largest of each block.
func (s *softmax) score(candidates *matrix) {
	count := s.queries.rows
	s.asked.Pack(s.queries.view(0, count).T(), terms)
	blocks := (candidates.rows + blockRows - 1) / blockRows
	s.scores.fit(candidates.rows)
	s.tops.fit(blocks)
	s.workers.Each(blocks, func(worker, b int) {
		lo := b * blockRows
		rows := min(blockRows, candidates.rows-lo)
		left := &s.packings[worker].left
		left.Pack(candidates.view(lo, rows), terms)
		product.Mul(s.scores.from(lo), s.scores.stride, left, &s.asked)
		for i := range rows {
			clear(s.scores.row(lo + i)[count:])
		}
		top := s.tops.row(b)
		copy(top, s.scores.row(lo))
		for i := 1; i < rows; i++ {
			simd.MaxOf(top, top, s.scores.row(lo+i))
		}
	})
}

// scoreTargets computes the scores of the targets.
func (s *softmax) scoreTargets(all *matrix, examples []example) {
	s.targets = reuse.Slice(s.targets, len(examples))
	const part = 64
	s.workers.Each((len(examples)+part-1)/part, func(_, p int) {
		var score [1]float32
		for i := p * part; i < min((p+1)*part, len(examples)); i++ {
			x := examples[i]
			simd.DotRows(score[:], all.row(int(x.target)), s.queries.row(int(x.query)))
			s.targets[i] = float64(score[0])
		}
	})
}

// top returns the largest score of each query.
func (s *softmax) top(examples []example) []float32 {
	tops := s.tops.row(0)
	for b := 1; b < s.tops.rows; b++ {
		simd.MaxOf(tops, tops, s.tops.row(b))
	}
	for i, x := range examples {
		tops[x.query] = max(tops[x.query], float32(s.targets[i]))
	}
	return tops
}

// weigh returns the loss, and computes, from the exponentials, the gradients with respect to these and to the
// targets' scores.
func (s *softmax) weigh(tops []float32, examples []example, correction, weight float64) (loss float64) {
	s.weights = reuse.Slice(s.weights, s.queries.rows)
	s.pulls = reuse.Slice(s.pulls, len(examples))
	for i := 0; i < len(examples); {
		q := int(examples[i].query)
		total := 0.0
		for b := range s.sums.rows {
			total += float64(s.sums.row(b)[q])
		}
		dense := 0.0
		for ; i < len(examples) && int(examples[i].query) == q; i++ {
			shifted := s.targets[i] - float64(tops[q])
			target := math.Exp(shifted)
			own := 0.0
			if at := int(examples[i].at); at >= 0 {
				own = float64(s.scores.row(at)[q])
			}
			z := target + correction*(total-own)
			loss += math.Log(z) - shifted
			dense += correction / z
			s.pulls[i] = float32(weight * ((target-correction*own)/z - 1))
		}
		s.weights[q] = float32(weight * dense)
	}
	return loss
}

// differentiate computes the gradient with respect to the queries, and scales the queries for the gradient with
// respect to the candidates. Each task has its own columns.
func (s *softmax) differentiate(candidates, all *matrix, examples []example) {
	width := s.queries.width
	panels := (width + 31) / 32
	parts := min(max(1, s.workers.Size()), panels)
	s.workers.Each(parts, func(worker, p int) {
		lo := p * panels / parts * 32
		hi := min((p+1)*panels/parts*32, width)
		for q := range s.queries.rows {
			clear(s.gradient.row(q)[lo:hi])
		}
		pack := &s.packings[worker]
		for first := 0; first < candidates.rows; first += gradientRows {
			rows := min(gradientRows, candidates.rows-first)
			pack.left.Pack(product.Of(s.scores.from(first), rows, s.queries.rows, s.scores.stride).T(), terms)
			pack.right.Pack(product.Of(candidates.from(first)[lo:], rows, hi-lo, candidates.stride), terms)
			product.MulAdd(s.gradient.data[lo:], s.gradient.stride, &pack.left, &pack.right)
		}
		for q := range s.queries.rows {
			g := s.gradient.row(q)[lo:hi]
			simd.Scale(g, g, s.weights[q])
			simd.Scale(s.scaled.row(q)[lo:hi], s.queries.row(q)[lo:hi], s.weights[q])
		}
		for i, x := range examples {
			g := s.gradient.row(int(x.query))[lo:hi]
			simd.ScaleAdd(g, g, s.pulls[i], all.row(int(x.target))[lo:hi])
		}
	})
	s.pulled.Pack(s.scaled.view(0, s.queries.rows), terms)
}

// pull sets g, rows of candidates from lo on, to their gradient through the exponentials.
func (s *softmax) pull(g *matrix, lo, rows, worker int) {
	left := &s.packings[worker].left
	left.Pack(product.Of(s.scores.from(lo), rows, s.queries.rows, s.scores.stride), terms)
	product.Mul(g.data, g.stride, left, &s.pulled)
}
