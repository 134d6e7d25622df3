package rows

import (
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Float reads the rows themselves: float32, or decoded from codes in a table without rows.
// Products of matrices read codes with their low bytes instead of float32 rows if scores may be as coarse as those of
// wide columns: converting half the bytes is faster than reading all.
type Float struct{ Model *model.Model }

func (f Float) table() *table.Table { return &f.Model.Predictor.EntityTable }

// Len returns the number of rows.
func (f Float) Len() int { return f.Model.Predictor.EntityTable.Rows() }

// Exact returns nil: this source is exact.
func (f Float) Exact() Source { return nil }

// Pack prepares for dot products, or for products of matrices if they pay. It never fails.
func (f Float) Pack(w *Work) (Shape, bool) {
	entities := f.table()
	width := entities.Width()
	least := minProduct
	if w.Terms == product.Three {
		least = minThree
	}
	w.many = w.Terms > 0 && w.manyOf() >= least
	w.vectorsOf(width, w.many)
	if !w.many {
		w.shape = small(width, width*entities.Type().Size(), TileNumbers, w.NumSums)
		return w.shape, true
	}
	w.lows = f.lowBytes(w)
	w.terms = w.Terms
	w.weights = product.Three
	if hasCodes(entities) {
		w.weights = product.Two
	}
	for i, c := range w.Columns {
		switch {
		case c.Wide:
			w.terms = product.Three
		case w.terms < product.Three && !c.Cosine:
			w.terms = max(w.terms, f.Model.Predictor.EntityTable.ScoreTerms(w.vectors[i*width:(i+1)*width]))
		}
	}
	w.packed.Pack(product.Of(w.vectors, len(w.Columns), width, width).T(), w.terms)
	w.shape = large(width, productRows, w.NumSums)
	return w.shape, true
}

// Scores computes the columns of the rows lo to hi.
func (f Float) Scores(w *Work, lo, hi int, room *Room) {
	switch {
	case len(w.Columns) == 0:
	case w.many:
		f.multiply(w, lo, hi, room)
	default:
		f.dots(w, lo, hi)
	}
	w.finish(f.Model, lo, hi, room)
}

// dots computes columns by dot products, up to four in one reading.
func (f Float) dots(w *Work, lo, hi int) {
	table := f.table()
	i := 0
	n := len(w.Columns)
	for ; i+4 <= n; i += 4 {
		table.DotRows4(w.dst(i, lo, hi), w.dst(i+1, lo, hi), w.dst(i+2, lo, hi), w.dst(i+3, lo, hi), lo, hi,
			w.query(i), w.query(i+1), w.query(i+2), w.query(i+3))
	}
	if i+2 <= n {
		table.DotRows2(w.dst(i, lo, hi), w.dst(i+1, lo, hi), lo, hi, w.query(i), w.query(i+1))
		i += 2
	}
	if i < n {
		table.DotRows(w.dst(i, lo, hi), lo, hi, w.query(i))
	}
}

// multiply computes columns by a product of matrices.
func (f Float) multiply(w *Work, lo, hi int, room *Room) {
	n := hi - lo
	rows, scales := f.matrix(w, lo, hi, room)
	room.scores = reuse.Slice(room.scores, len(w.Columns)*n)
	room.block.Pack(rows, w.terms)
	product.MulT(room.scores, n, &room.block, &w.packed)
	for i := range w.Columns {
		if dst, scores := w.dst(i, lo, hi), room.scores[i*n:(i+1)*n]; scales != nil {
			simd.Mul(dst, scores, scales)
		} else {
			copy(dst, scores)
		}
	}
}

// matrix returns the rows lo to hi for products of w. For a table of codes alone, the rows are codes, to be
// multiplied by scales; otherwise scales is nil.
func (f Float) matrix(w *Work, lo, hi int, room *Room) (rows product.Matrix, scales []float32) {
	switch entities := f.table(); {
	case w.lows != nil:
		return entities.IntegerMatrix(w.lows, lo, hi, &room.converted), nil
	case entities.Type().IsFloat():
		return entities.Matrix(lo, hi, &room.converted), nil
	}
	return f.table().CodeMatrix(lo, hi, &room.converted), f.table().Codes().Scales[lo:hi]
}

// lowBytes returns the low bytes of codes if products are to read codes, nil if they are to read rows.
func (f Float) lowBytes(w *Work) []int8 {
	entities := f.table()
	if !hasCodes(entities) {
		return nil
	}
	coarsest := simd.Max(entities.Codes().Scales)
	for i := range w.Columns {
		if !(off(Length(w.query(i)), 0, coarsest, 0, 0) <= MaxWideError) {
			return nil
		}
	}
	return f.Model.LowBytes()
}

// Add adds rows to sums.
func (f Float) Add(w *Work, acc []float32, weights [][]float32, lo, hi int, room *Room) {
	if w.many {
		f.addProducts(w, acc, weights, lo, hi, room)
		return
	}
	f.addRows(acc, w.shape.Stride, weights, lo, hi)
}

// addRows adds rows to two sums in one pass. Each pass prefetches different rows of the next tile: a quarter of them
// per sum.
func (f Float) addRows(acc []float32, stride int, weights [][]float32, lo, hi int) {
	table := f.table()
	i := 0
	next := hi
	sum := func(i int) []float32 { return acc[i*stride : i*stride+table.Width()] }
	if len(weights)%2 == 1 {
		table.AxpyRows(sum(0), lo, hi, weights[0])
		i = 1
		next += (hi - lo) / 4
	}
	for ; i < len(weights); i += 2 {
		table.AxpyRows2(sum(i), sum(i+1), lo, hi, next, weights[i], weights[i+1])
		next += (hi - lo) / 2
	}
}

// addProducts adds rows to sums by a product of matrices.
func (f Float) addProducts(w *Work, acc []float32, weights [][]float32, lo, hi int, room *Room) {
	n := hi - lo
	rows, scales := f.matrix(w, lo, hi, room)
	room.numbers = reuse.Slice(room.numbers, len(weights)*n)
	for i, x := range weights {
		if numbers := room.numbers[i*n : (i+1)*n]; scales != nil {
			simd.Mul(numbers, x, scales)
		} else {
			copy(numbers, x)
		}
	}
	room.weights.Pack(product.Of(room.numbers, len(weights), n, n), w.weights)
	room.rows.Pack(rows, w.weights)
	product.MulAdd(acc, w.shape.Stride, &room.weights, &room.rows)
}

// ScoreAt computes column i of row e, whether w has been packed or not.
func (f Float) ScoreAt(w *Work, i int, e int32) {
	c := &w.Columns[i]
	at := int(e)
	f.table().DotRows(c.Dst[at:at+1], at, at+1, c.Query)
	if !c.Cosine {
		return
	}
	if both := float64(f.Model.Predictor.EntityNorms[e]) * float64(Length(c.Query)); both > 0 {
		c.Dst[e] = float32(float64(c.Dst[e]) / both)
	} else {
		c.Dst[e] = 0
	}
}

// AddAt adds weighted rows to acc.
func (f Float) AddAt(acc []float32, ids []int32, weights []float32) {
	f.table().AxpyAt(acc[:f.table().Width()], ids, weights)
}
