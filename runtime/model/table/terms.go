package table

import (
	"math"
	"sync"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Where a product takes bfloat16 numbers, two or three of them stand for a float32
// number. Two are enough for cosines. The error of a score, however, is the relative error of
// its exponential; sums Σ x_e·E_e take three, since scores of the next layer multiply their
// error.
//
// A score Σ_l q_l·E_el is off by the sum of what rounding leaves of its products. With
// two terms that is at most 2^-15 of each, and c = 2^-17.75 in the root mean square:
// remainders are spread evenly, and fall in smaller binades too. They are independent,
// so they add up as a random walk does (Higham and Mary, "A New Approach to
// Probabilistic Rounding Error Analysis", 2019), to c·√Σ_l q_l²·E_el². Over all rows the
// root mean square of that is
//
//	c·√Σ_l q_l²·m_l, where m_l is the mean of E_el² over e.
//
// scoreError bounds it: the largest of millions of scores is off by seven times as much.
// That is a fifth of the tolerance of the semantics, 1e-4, and leaves the rest to
// products of messages and to further layers. Scores that may be off by more have three
// terms, and the quality of float32.
const (
	termError  = 0x1.3p-18
	scoreError = 3e-6
)

// ScoreTerms returns the number of terms at which products of the table and queries, rows of 2d
// numbers, have the accuracy that the semantics demands of scores.
func (t *Table) ScoreTerms(queries []float32) product.Terms {
	squares := t.derived.squares.of(t)
	for ; len(queries) > 0; queries = queries[len(squares):] {
		sum := 0.0
		for l, v := range queries[:len(squares)] {
			sum += float64(v) * float64(v) * squares[l]
		}
		if !(termError*math.Sqrt(sum) <= scoreError) {
			return product.Three
		}
	}
	return product.Two
}

// squareRows is the number of rows, at even distances, from which columnSquares are estimated.
const squareRows = 4096

// columnSquares are the means of E_el² over the rows, of each column l. They are
// computed at first use.
type columnSquares struct {
	once  sync.Once
	means []float64
}

func (c *columnSquares) of(t *Table) []float64 {
	c.once.Do(func() {
		n := t.Rows()
		rows := min(n, squareRows)
		buf := make([]float32, t.width)
		c.means = make([]float64, t.width)
		for i := range rows {
			for l, v := range t.Row(graph.EntityID(i*n/rows), buf) {
				c.means[l] += float64(v) * float64(v) / float64(rows)
			}
		}
	})
	return c.means
}
