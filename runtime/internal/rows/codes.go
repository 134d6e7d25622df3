package rows

import (
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Codes reads codes of 8 bits, a fourth of the bytes of float32 rows, and for wide columns their low
// bytes. For many columns products of rows are faster: see Fastest.
type Codes struct{ Model *model.Model }

// packedQueries are queries in 16-bit integers, one behind the other.
type packedQueries struct {
	queries []quant.Query
	packed  []int16
	scales  []float32
	lows    []float32 // scales of products with low bytes
}

func (c Codes) codes() *quant.Table { return c.Model.Predictor.EntityTable.Codes() }

// Len returns the number of rows.
func (c Codes) Len() int { return c.Model.Predictor.EntityTable.Rows() }

// Exact returns the rows; where there are codes alone, these are what they stand for.
func (c Codes) Exact() Source { return Float(c) }

// Off reports whether there are rows that the codes are off from.
func (c Codes) Off() bool { return hasCodes(&c.Model.Predictor.EntityTable) }

// Pack packs the queries. It refuses one that is not finite or too large for integers, or whose
// scores may be off by too much, and so many wide columns that matrices pay.
func (c Codes) Pack(w *Work) (Shape, bool) {
	table := &c.Model.Predictor.EntityTable
	if table.Codes() == nil || w.Terms == product.Three && len(w.Columns) >= minThree {
		return Shape{}, false
	}
	residual, norm := table.CodesOff()
	coarsest, wide := float32(0), false
	if c.Off() {
		coarsest = simd.Max(table.Codes().Scales)
	}
	w.vectorsOf(table.Width(), false)
	w.codes.prepare(len(w.Columns), quant.Columns(table.Width()))
	for i := range w.Columns {
		column, q, query := &w.Columns[i], &w.codes.queries[i], w.query(i)
		if !q.Set(query) {
			return Shape{}, false
		}
		w.codes.scales[i], w.codes.lows[i] = q.Scale, q.Scale/256
		if wide = wide || column.Wide; column.Wide {
			if !(off(Length(query), q.Scale, coarsest, norm, 0) <= MaxWideError) {
				return Shape{}, false
			}
		} else if a, b := q.Bound(); !column.Cosine && a*residual+b*norm > w.Within {
			return Shape{}, false
		}
	}
	if wide && c.Off() {
		c.Model.LowBytes() // made now, not by the first worker
	}
	columns := quant.Columns(table.Width())
	w.shape = small(columns, columns, tileCodes, w.NumSums)
	return w.shape, true
}

// prepare makes room for queries of some columns.
func (p *packedQueries) prepare(queries, columns int) {
	p.packed, p.queries = reuse.Slice(p.packed, queries*2*columns), reuse.Slice(p.queries, queries)
	p.scales, p.lows = reuse.Slice(p.scales, queries), reuse.Slice(p.lows, queries)
	for i := range p.queries {
		p.queries[i].Packed = p.packed[i*2*columns : (i+1)*2*columns]
	}
}

// dots multiplies rows of codes with the queries from lo on, four, two or one of those below hi, and
// returns how many. by are the scales of the queries; alone says that no sum reads the rows as well.
func (p *packedQueries) dots(lo, hi int, dst func(j int) []float32, tile []int8, scales, by []float32, alone bool) int {
	size := len(p.queries[lo].Packed)
	queries := func(n int) []int16 { return p.packed[lo*size : (lo+n)*size] }
	switch n := hi - lo; {
	case n >= 4:
		simd.DotRows4I8(dst(0), dst(1), dst(2), dst(3), tile, scales, queries(4), by[lo:lo+4], alone)
		return 4
	case n >= 2:
		simd.DotRows2I8(dst(0), dst(1), tile, scales, queries(2), by[lo:lo+2], alone)
		return 2
	}
	simd.DotRowsI8(dst(0), tile, scales, queries(1), by[lo], alone)
	return 1
}

// Scores computes the columns of the rows lo to hi.
func (c Codes) Scores(w *Work, lo, hi int, room *Room) {
	tile, scales := c.codes().Tile(lo, hi), c.codes().Scales[lo:hi]
	for i := 0; i < len(w.Columns); {
		i += w.codes.dots(i, len(w.Columns), func(j int) []float32 { return w.dst(i+j, lo, hi) }, tile, scales, w.codes.scales, w.NumSums == 0)
	}
	if c.Off() {
		c.addLows(w, lo, hi, room)
	}
	w.finish(c.Model, lo, hi, room)
}

// addLows adds to wide columns what low bytes do: a 256th of the product of the query with them.
func (c Codes) addLows(w *Work, lo, hi int, room *Room) {
	for i := 0; i < len(w.Columns); {
		if !w.Columns[i].Wide {
			i++
			continue
		}
		end := i + 1
		for end < len(w.Columns) && w.Columns[end].Wide {
			end++
		}
		room.lows = reuse.Slice(room.lows, 4*w.shape.Tile)
		add := func(j int) []float32 { return room.lows[j*w.shape.Tile : j*w.shape.Tile+hi-lo] }
		_, low, scales := Wide(c).bytes(lo, hi)
		n := w.codes.dots(i, end, add, low, scales, w.codes.lows, true)
		for j := range n {
			dst := w.dst(i+j, lo, hi)
			simd.Add(dst, dst, add(j))
		}
		i += n
	}
}

// Add adds codes to two sums in one reading.
func (c Codes) Add(w *Work, acc []float32, weights [][]float32, lo, hi int, _ *Room) {
	tile, scales, stride, i := c.codes().Tile(lo, hi), c.codes().Scales[lo:hi], w.shape.Stride, 0
	sum := func(i int) []float32 { return acc[i*stride : (i+1)*stride] }
	for ; i+2 <= len(weights); i += 2 {
		simd.SumRows2I8(sum(i), sum(i+1), tile, scales, weights[i], weights[i+1])
	}
	if i < len(weights) {
		simd.SumRowsI8(sum(i), tile, scales, weights[i])
	}
}

// AddAt adds what codes stand for, weighted, to acc.
func (c Codes) AddAt(acc []float32, ids []int32, weights []float32) {
	c.codes().AxpyAt(acc, ids, weights)
}
