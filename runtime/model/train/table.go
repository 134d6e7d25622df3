package train

import (
	"math/rand/v2"

	"github.com/efoc/efoc/kernels/product"
)

// Widths and numbers of queries are rounded up to multiples of lanes.
const lanes = 16

// rowPad keeps the rows of a matrix from competing for the same cache sets when a column is read.
const rowPad = 16

// matrix holds rows of the given width, stride numbers apart. Numbers beyond the width are unused.
type matrix struct {
	rows, width, stride int
	data                []float32
}

func newMatrix(rows, width int) matrix {
	width = roundUp(width)
	stride := width + rowPad
	if stride%(2*rowPad) == 0 {
		stride += rowPad // an odd number of lines
	}
	return matrix{rows, width, stride, make([]float32, rows*stride)}
}

func roundUp(n int) int { return (n + lanes - 1) / lanes * lanes }

func (m *matrix) row(i int) []float32 {
	return m.data[i*m.stride : i*m.stride+m.width : i*m.stride+m.width]
}

func (m *matrix) from(i int) []float32 { return m.data[i*m.stride:] }

// view returns rows from lo on for a product.
func (m *matrix) view(lo, rows int) product.Matrix {
	return product.Of(m.from(lo), rows, m.width, m.stride)
}

// fit resizes the matrix to the given number of rows, in place if possible. Its numbers are undefined.
func (m *matrix) fit(rows int) {
	if rows*m.stride > len(m.data) {
		m.data = make([]float32, rows*m.stride)
	}
	m.rows = rows
}

// weights is a table of embeddings with Adagrad's sums of squares. The halves of a row have half numbers each: the
// rank, rounded up; numbers beyond the rank stay 0.
type weights struct {
	rank, half int
	values     matrix
	squares    matrix
}

func newWeights(rows, rank int) weights {
	half := roundUp(rank)
	return weights{rank, half, newMatrix(rows, 2*half), newMatrix(rows, 2*half)}
}

func (t *weights) fill(rng *rand.Rand, deviation float64) {
	for i := range t.values.rows {
		row := t.values.row(i)
		for _, half := range [][]float32{row[:t.rank], row[t.half : t.half+t.rank]} {
			for k := range half {
				half[k] = float32(deviation * rng.NormFloat64())
			}
		}
	}
}

// compact moves the embeddings together, to rows of twice the rank, real half first. It reuses the memory of the
// matrix, which must not be used afterwards.
func compact(m *matrix, rank int) []float32 {
	out := m.data[:0]
	for i := range m.rows {
		row := m.row(i) // never before the end of out
		out = append(out, row[:rank]...)
		out = append(out, row[m.width/2:m.width/2+rank]...)
	}
	return out
}
