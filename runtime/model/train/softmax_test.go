package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// TestSoftmax compares the loss and the gradients of a softmax with sums in float64, for more
// candidates than a block has and sizes that no tile divides. An error is relative to the sum of the
// absolute terms. One term may leave a score, whose absolute products add up to about 15 here, off by
// 15·2^-7, and a probability by that part of it; the test allows a fifth of it.
func TestSoftmax(t *testing.T) {
	const count, n, width = 75, 2*gradientRows + 61, 80
	eachUnit(t, func(t *testing.T) {
		tolerance := 9e-5 * coarseness()
		rng := rand.New(rand.NewPCG(3, 5))
		workers := pool.New(3)
		defer workers.Close()
		s := softmax{workers: workers}
		s.reset(count, width)
		candidates := newMatrix(n, width)
		for q := range count {
			for k := range width {
				s.queries.row(q)[k] = float32(rng.NormFloat64())
			}
		}
		for e := range n {
			for k := range width {
				candidates.row(e)[k] = float32(0.3 * rng.NormFloat64())
			}
		}
		var examples []example
		for q := range int32(count) {
			target := rng.Int32N(n)
			examples = append(examples, example{q, target, target})
		}
		const weight = 1. / count
		loss := s.run(&candidates, &candidates, examples, 1, weight)
		moved := newMatrix(n, width)
		for lo := 0; lo < n; lo += blockRows {
			part := matrix{rows: blockRows, width: moved.width, stride: moved.stride, data: moved.from(lo)}
			s.pull(&part, lo, min(blockRows, n-lo), 0)
		}

		// p[q][e] is the probability of candidate e; the gradient by a score is that, less
		// what the target pulls.
		p := make([][]float64, count)
		want := 0.0
		for q := range p {
			p[q] = make([]float64, n)
			z := 0.0
			for e := range n {
				score := 0.0
				for k, x := range s.queries.row(q) {
					score += float64(x) * float64(candidates.row(e)[k])
				}
				p[q][e] = math.Exp(score)
				z += p[q][e]
			}
			for e := range n {
				p[q][e] /= z
			}
			want -= math.Log(p[q][examples[q].target])
		}
		if math.Abs(loss-want) > tolerance*want {
			t.Errorf("loss is %v, want %v", loss, want)
		}
		for q := range count {
			for k := range width {
				sum := -float64(candidates.row(int(examples[q].target))[k])
				size := math.Abs(sum)
				for e := range n {
					term := p[q][e] * float64(candidates.row(e)[k])
					sum += term
					size += math.Abs(term)
				}
				if got := float64(s.gradient.row(q)[k]) / weight; math.Abs(got-sum) > tolerance*size {
					t.Fatalf("gradient by number %d of query %d is %v, want %v", k, q, got, sum)
				}
			}
		}
		for e := range n {
			for k := range width {
				// The targets' pulls are not among what goes through the exponentials: they
				// have the target's own share too.
				sum, size := 0.0, 0.0
				for q := range count {
					term := p[q][e] * float64(s.queries.row(q)[k])
					sum += term
					size += math.Abs(term)
				}
				if got := float64(moved.row(e)[k]) / weight; math.Abs(got-sum) > tolerance*size {
					t.Fatalf("gradient by number %d of candidate %d is %v, want %v", k, e, got, sum)
				}
			}
		}
	})
}
