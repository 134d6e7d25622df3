package rows

import (
	"slices"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Codes reads 8-bit codes, a fourth of the bytes of float32 rows, and for wide columns also their low bytes. For many
// columns products of rows are faster: see Fastest.
type Codes struct{ Model *model.Model }

// packedQueries are consecutive queries in 16-bit integers.
type packedQueries struct {
	queries []quant.Query
	packed  []int16
	scales  []float32
}

func (c Codes) codes() *quant.Table { return c.Model.Predictor.EntityTable.Codes() }

// Len returns the number of rows.
func (c Codes) Len() int { return c.Model.Predictor.EntityTable.Rows() }

// Exact returns the exact rows or, for a table of codes alone, the decoded ones.
func (c Codes) Exact() Source { return Float(c) }

// Off reports whether the table has exact rows besides the codes.
func (c Codes) Off() bool { return hasCodes(&c.Model.Predictor.EntityTable) }

// Pack packs the queries. It refuses a query that is not finite, is too large for integers, or whose scores would
// have too large an error. It refuses all if there are enough wide columns for products of matrices to pay.
func (c Codes) Pack(w *Work) (Shape, bool) {
	table := &c.Model.Predictor.EntityTable
	if table.Codes() == nil || w.Terms == product.Three && len(w.Columns) >= minThree && !DotsPay(c.Model) {
		return Shape{}, false
	}
	residual, norm := table.CodesOff()
	coarsest := float32(0)
	wide := false
	if c.Off() {
		coarsest = simd.Max(table.Codes().Scales)
	}
	w.vectorsOf(table.Width(), false)
	w.codes.prepare(len(w.Columns), quant.Columns(table.Width()))
	for i := range w.Columns {
		column := &w.Columns[i]
		q := &w.codes.queries[i]
		query := w.query(i)
		if !q.Set(query) {
			return Shape{}, false
		}
		w.codes.scales[i] = q.Scale
		wide = wide || column.Wide
		if column.Wide {
			if !(off(Length(query), q.Scale, coarsest, norm, len(q.Packed)/2) <= MaxWideError) {
				return Shape{}, false
			}
		} else if a, b := q.Bound(); !column.Cosine && a*residual+b*norm > w.Within {
			return Shape{}, false
		}
	}
	if wide && c.Off() {
		c.Model.LowBytes() // made here, not by the first worker
	}
	columns := quant.Columns(table.Width())
	w.shape = small(columns, columns, tileCodes, w.NumSums)
	return w.shape, true
}

// prepare makes room for the given number of queries and columns.
func (p *packedQueries) prepare(queries, columns int) {
	p.packed, p.queries = reuse.Slice(p.packed, queries*2*columns), reuse.Slice(p.queries, queries)
	p.scales = reuse.Slice(p.scales, queries)
	for i := range p.queries {
		p.queries[i].Packed = p.packed[i*2*columns : (i+1)*2*columns]
	}
}

// Scores computes the columns of the rows lo to hi.
func (c Codes) Scores(w *Work, lo, hi int, room *Room) {
	t := codeTile{tile: c.codes().Tile(lo, hi), scales: c.codes().Scales[lo:hi], far: w.NumSums == 0 && simd.Far(c.codes().Bytes())}
	if columns := c.codes().Width; c.Off() && anyWide(w.Columns) {
		columns = quant.Columns(columns)
		t.lows = c.Model.LowBytes()[lo*columns : hi*columns]
	}
	for i := 0; i < len(w.Columns); {
		end := i + 1
		for end < len(w.Columns) && w.Columns[end].Wide == w.Columns[i].Wide {
			end++
		}
		i += w.dots(&t, i, end, lo, hi)
	}
	w.finish(c.Model, lo, hi, room)
}

// codeTile is rows of codes, with their low bytes if columns read them. far says that they come
// from memory, and that no sum reads them too.
type codeTile struct {
	tile, lows []int8
	scales     []float32
	far        bool
}

// anyWide reports whether a column reads low bytes.
func anyWide(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Wide })
}

// dots computes four, two or one of the columns from i on and below end, which are all wide or none, in the rows lo
// to hi, and returns the number computed.
func (w *Work) dots(t *codeTile, i, end, lo, hi int) int {
	p := &w.codes
	size := len(w.codes.queries[i].Packed)
	n := min(4, end-i)
	if n == 3 {
		n = 2
	}
	dst := func(j int) []float32 { return w.dst(i+j, lo, hi) }
	queries := p.packed[i*size : (i+n)*size]
	by := p.scales[i : i+n]
	lows := t.lows
	if !w.Columns[i].Wide {
		lows = nil
	}
	switch {
	case lows != nil && n == 4:
		simd.DotRows4I16(dst(0), dst(1), dst(2), dst(3), t.tile, lows, t.scales, queries, by, t.far)
	case lows != nil && n == 2:
		simd.DotRows2I16(dst(0), dst(1), t.tile, lows, t.scales, queries, by, t.far)
	case lows != nil:
		simd.DotRowsI16(dst(0), t.tile, lows, t.scales, queries, by[0], t.far)
	case n == 4:
		simd.DotRows4I8(dst(0), dst(1), dst(2), dst(3), t.tile, t.scales, queries, by, t.far)
	case n == 2:
		simd.DotRows2I8(dst(0), dst(1), t.tile, t.scales, queries, by, t.far)
	default:
		simd.DotRowsI8(dst(0), t.tile, t.scales, queries, by[0], t.far)
	}
	return n
}

// Add adds codes to two sums in one reading.
func (c Codes) Add(w *Work, acc []float32, weights [][]float32, lo, hi int, _ *Room) {
	tile := c.codes().Tile(lo, hi)
	scales := c.codes().Scales[lo:hi]
	stride := w.shape.Stride
	i := 0
	sum := func(i int) []float32 { return acc[i*stride : (i+1)*stride] }
	for ; i+2 <= len(weights); i += 2 {
		simd.SumRows2I8(sum(i), sum(i+1), tile, scales, weights[i], weights[i+1])
	}
	if i < len(weights) {
		simd.SumRowsI8(sum(i), tile, scales, weights[i])
	}
}

// AddAt adds decoded rows, weighted, to acc.
func (c Codes) AddAt(acc []float32, ids []int32, weights []float32) {
	c.codes().AxpyAt(acc, ids, weights)
}
