package rows

import (
	"math"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Wide reads codes with their low bytes, as rows of 16-bit integers: two bytes a number in place of
// four. Queries and weights are integers too. If the machine multiplies matrices of bytes, products
// take half the time of two terms of bfloat16. Otherwise a few columns are dot products. A weight
// times its row's scale is rounded to a multiple of 1/32512 of the largest in its tile.
type Wide struct{ Model *model.Model }

// Multiplies reports whether the table has rows of integers, and the machine multiplies them as
// matrices.
func (u Wide) Multiplies() bool {
	return hasCodes(&u.Model.Predictor.EntityTable) && product.HasIntegers()
}

// Len returns the number of rows.
func (u Wide) Len() int { return u.Model.Predictor.EntityTable.Rows() }

// Exact returns the rows.
func (u Wide) Exact() Source { return Float(u) }

// Pack packs the queries as integers. It refuses one that is not finite, or whose scores may be off
// by more than w.Within, and columns that are too many for dot products.
func (u Wide) Pack(w *Work) (Shape, bool) {
	table := &u.Model.Predictor.EntityTable
	if w.many = u.Multiplies(); !w.many && (!hasCodes(table) || len(w.Columns) >= minThree || simd.Engine() == simd.Engines()[0]) {
		return Shape{}, false
	}
	width, columns := table.Width(), quant.Columns(table.Width())
	_, longest := table.CodesOff()
	coarsest := simd.Max(table.Codes().Scales)
	w.vectorsOf(width, false)
	if w.many {
		w.integers.Reset(len(w.Columns), columns)
	} else {
		w.codes.prepare(len(w.Columns), columns)
	}
	for i := range w.Columns {
		query, unit, short, ok := w.query(i), float32(0), 0, false
		if w.many {
			unit, ok = w.integers.AddNumbers(query, w.Columns[i].Dst)
			short = columns
		} else {
			q := &w.codes.queries[i]
			ok = q.Set(query)
			unit = q.Scale
			w.codes.scales[i], w.codes.lows[i] = unit, unit/256
		}
		if !ok || !(off(Length(query), unit, coarsest, longest, short) <= w.Within) {
			return Shape{}, false
		}
	}
	u.Model.LowBytes() // made now, not by the first worker
	if w.shape = large(columns, wholeRows, w.NumSums); !w.many {
		w.shape = Shape{Tile: productRows, Chunk: productRows, Stride: columns, Sums: w.NumSums}
	}
	return w.shape, true
}

// Length returns ‖q‖.
func Length(q []float32) float32 {
	var square [1]float32
	simd.DotRows(square[:], q, q)
	return float32(math.Sqrt(float64(square[0])))
}

// off estimates the error of scores by integers, as a root mean square: of a query of some length in
// integers of the given unit, and rows up to a length in codes of the coarsest scale. What rounding
// leaves is spread evenly, in rows over 1/256 of the scale; the products of low bytes that short
// columns leave out are, in the mean square, of two numbers below 128.
func off(length, unit, coarsest, longest float32, short int) float32 {
	const even, low = 0.28868, 128. * 128 / 3 / 256 // 1/√12
	row, query := even/256*length*coarsest, even*unit*longest
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
	switch high, low, scales := u.bytes(lo, hi); {
	case len(w.Columns) == 0:
	case w.many:
		w.integers.Mul(&room.integers, lo, high, low, scales)
	default:
		u.dots(w, lo, hi, room, high, low, scales)
	}
	w.finish(u.Model, lo, hi, room)
}

// dots computes columns by dot products: a score is the product of the query with the codes, plus a
// 256th of that with the low bytes.
func (u Wide) dots(w *Work, lo, hi int, room *Room, high, low []int8, scales []float32) {
	room.lows = reuse.Slice(room.lows, 4*productRows)
	add := func(j int) []float32 { return room.lows[j*productRows : j*productRows+hi-lo] }
	for i := 0; i < len(w.Columns); {
		dst := func(j int) []float32 { return w.dst(i+j, lo, hi) }
		n := w.codes.dots(i, dst, high, scales, w.codes.scales, true)
		w.codes.dots(i, add, low, scales, w.codes.lows, true)
		for j := range n {
			simd.Add(dst(j), dst(j), add(j))
		}
		i += n
	}
}

// Add adds rows to sums. Weights that are not finite, or too large or small for integers, take the
// rows themselves.
func (u Wide) Add(w *Work, acc []float32, weights [][]float32, lo, hi int, room *Room) {
	stride := w.shape.Stride
	if !w.many {
		Float(u).addRows(acc, stride, weights, lo, hi)
		return
	}
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
