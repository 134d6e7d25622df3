package fit

import (
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// wideQueries are queries in 16-bit integers, for dot products with rows of two bytes.
type wideQueries struct {
	queries []quant.Query
	packed  []int16 // of the queries, one behind the other
	scales  []float32
	lows    []float32 // scales of products with low bytes
}

// packWide packs the queries as integers, and reports whether a few rows are made by dot products
// with codes and their low bytes: two bytes a number in place of four, multiplied as integers.
// Where products of matrices of integers are to be had, these are faster. A query that is not
// finite, or whose scores may be too far off, is left to float32.
func (k *maker) packWide(rows int) bool {
	table, w := &k.model.Predictor.EntityTable, &k.wide
	if table.Codes() == nil || !table.Type().IsFloat() || simd.Engine() == simd.Engines()[0] {
		return false
	}
	_, longest := table.CodesOff()
	coarsest, size := simd.Max(table.Codes().Scales), 2*quant.Columns(table.Width())
	w.packed, w.queries = reuse.Slice(w.packed, rows*size), reuse.Slice(w.queries, rows)
	w.scales, w.lows = reuse.Slice(w.scales, rows), reuse.Slice(w.lows, rows)
	for i := range rows {
		q := &w.queries[i]
		q.Packed = w.packed[i*size : (i+1)*size]
		if !q.Set(k.query(i)) || !(integersOff(length(k.query(i)), q.Scale, coarsest, longest, 0) <= maxScoreError) {
			return false
		}
		w.scales[i], w.lows[i] = q.Scale, q.Scale/256
	}
	k.low = k.model.LowBytes()
	return true
}

// dotsWide is pass for few rows, by integers: a score is the product of the query with the codes,
// plus a 256th of that with the low bytes.
func (k *maker) dotsWide(rows int) {
	codes, w := k.model.Predictor.EntityTable.Codes(), &k.wide
	columns := quant.Columns(codes.Width)
	k.each(func(room *passRoom, lo, hi int) {
		room.lows = reuse.Slice(room.lows, 4*blockRows)
		high, low, scales := codes.Codes[lo*columns:hi*columns], k.low[lo*columns:hi*columns], codes.Scales[lo:hi]
		score := func(i int) []float32 { return k.score(i)[lo:hi] }
		add := func(j int) []float32 { return room.lows[j*blockRows : j*blockRows+hi-lo] }
		for i := 0; i < rows; {
			step := min(4, rows-i) &^ 1
			switch q := w.packed[i*2*columns : (i+max(1, step))*2*columns]; step {
			case 4:
				simd.DotRows4I8(score(i), score(i+1), score(i+2), score(i+3), high, scales, q, w.scales[i:i+4], true)
				simd.DotRows4I8(add(0), add(1), add(2), add(3), low, scales, q, w.lows[i:i+4], true)
			case 2:
				simd.DotRows2I8(score(i), score(i+1), high, scales, q, w.scales[i:i+2], true)
				simd.DotRows2I8(add(0), add(1), low, scales, q, w.lows[i:i+2], true)
			default:
				simd.DotRowsI8(score(i), high, scales, q, w.scales[i], true)
				simd.DotRowsI8(add(0), low, scales, q, w.lows[i], true)
				step = 1
			}
			for j := range step {
				simd.Add(score(i+j), score(i+j), add(j))
			}
			i += step
		}
	})
}
