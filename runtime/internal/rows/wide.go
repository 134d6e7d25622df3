package rows

import (
	"math"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Wide reads codes with their low bytes, as rows of 16-bit integers: two bytes per number instead of four. Queries
// and weights are integers too. It serves machines that multiply matrices of bytes, where products take half the time
// of two terms of bfloat16. A weight times its row's scale is rounded to a multiple of 1/32512 of the largest in its
// tile.
type Wide struct{ Model *model.Model }

// Multiplies reports whether the table has integer rows and the machine multiplies them as matrices.
func (u Wide) Multiplies() bool {
	return hasCodes(&u.Model.Predictor.EntityTable) && product.HasIntegers()
}

// Len returns the number of rows.
func (u Wide) Len() int { return u.Model.Predictor.EntityTable.Rows() }

// Exact returns the codes, which read low bytes for dot products.
func (u Wide) Exact() Source { return Codes(u) }

// Pack packs the queries as integers. It refuses a query that is not finite, or whose scores' error exceeds w.Within.
func (u Wide) Pack(w *Work) (Shape, bool) {
	if !u.Multiplies() {
		return Shape{}, false
	}
	table := &u.Model.Predictor.EntityTable
	width := table.Width()
	columns := quant.Columns(table.Width())
	_, longest := table.CodesOff()
	coarsest := simd.Max(table.Codes().Scales)
	w.vectorsOf(width, false)
	w.integers.Reset(len(w.Columns), columns)
	for i, c := range w.Columns {
		query := w.query(i)
		within := w.Within
		if c.Wide {
			within = MaxWideError
		}
		unit, ok := w.integers.AddNumbers(query, c.Dst)
		if !ok || !(off(Length(query), unit, coarsest, longest, columns) <= within) {
			return Shape{}, false
		}
	}
	u.Model.LowBytes() // made here, not by the first worker
	w.shape = large(columns, wholeRows, w.NumSums)
	return w.shape, true
}

// Length returns ‖q‖.
func Length(q []float32) float32 {
	var square [1]float32
	simd.DotRows(square[:], q, q)
	return float32(math.Sqrt(float64(square[0])))
}

// off estimates the root mean square error of scores by integers: for a query of the given length in integers of the
// given unit, and rows up to longest in codes of scale coarsest. Rounding errors are uniform, in rows over 1/256 of
// the scale; the products of low bytes that short columns omit are, in the mean square, of two numbers below 128.
func off(length, unit, coarsest, longest float32, short int) float32 {
	const even, low = 0.28868, 128. * 128 / 3 / 256 // 1/√12
	row := even / 256 * length * coarsest
	query := even * unit * longest
	left := low * unit * coarsest * float32(math.Sqrt(float64(short)))
	return float32(math.Sqrt(float64(row*row + query*query + left*left)))
}

// bytes returns the codes, low bytes and scales of the rows lo to hi.
func (u Wide) bytes(lo, hi int) (high, low []int8, scales []float32) {
	codes := u.Model.Predictor.EntityTable.Codes()
	columns := quant.Columns(codes.Width)
	return codes.Tile(lo, hi), u.Model.LowBytes()[lo*columns : hi*columns], codes.Scales[lo:hi]
}

// Scores computes the columns of the rows lo to hi.
func (u Wide) Scores(w *Work, lo, hi int, room *Room) {
	if len(w.Columns) > 0 {
		high, low, scales := u.bytes(lo, hi)
		w.integers.Mul(&room.integers, lo, high, low, scales)
	}
	w.finish(u.Model, lo, hi, room)
}

// Add adds rows to sums. Weights that are not finite, or too large or small for integers, use exact rows.
func (u Wide) Add(w *Work, acc []float32, weights [][]float32, lo, hi int, room *Room) {
	stride := w.shape.Stride
	high, low, scales := u.bytes(lo, hi)
	room.totals.Rows(len(weights), high, low, hi-lo, len(high)/(hi-lo))
	for i, x := range weights {
		if !room.totals.Weigh(i, x, scales) {
			Float(u).addRows(acc[i*stride:], stride, weights[i:i+1], lo, hi)
		}
	}
	room.totals.AddTo(acc, stride)
}

// AddAt adds weighted rows to acc.
func (u Wide) AddAt(acc []float32, ids []int32, weights []float32) { Float(u).AddAt(acc, ids, weights) }
