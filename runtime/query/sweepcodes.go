package query

import (
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// A pass of a few queries reads the codes of the entity table, if there are any: a fourth of the
// bytes of float32 rows. Rows that matter are read again afterwards: see reread.go.
// What a pass of many takes is arithmetic, and products of matrices are as fast with more bits:
// see sweepbatch.go.
//
// Codes find the best entities, but shift the ranks of the others. So a query that ranks all
// entities, as Scores does, reads the rows: its ranks are those of a batch, whatever its size, up
// to ties within the tolerance of the semantics.

// maxCodeError is by how much codes may be off in a score: less than half of ln 2⁴⁰, see leastExponent.
// Then the row of the largest score is among those that are looked at again, whatever the codes
// say of it.
const maxCodeError = 11

// codeTile is the size of a block of codes.
const codeTile = 32 << 10

// coded is what a pass over codes needs beside a pass over rows.
type coded struct {
	table   *quant.Table // nil in a pass over rows
	queries []quant.Query
	packed  []int16   // of the queries, one behind the other
	scales  []float32 // of the queries
}

// readCodes decides whether this pass reads codes, and prepares it. It does not if a query
// is not finite, or too large for integers, or if the codes may be far off in its scores.
func (s *Sweep) readCodes() bool {
	c := &s.coded
	c.table = nil
	codes := s.w.model.Predictor.EntityTable.Codes()
	residual, norm := s.w.model.Predictor.EntityTable.CodesOff()
	if codes == nil || s.multiplies() || s.w.ranksAll && s.w.model.Predictor.EntityTable.Type().IsFloat() {
		return false
	}
	columns := quant.Columns(codes.Width)
	c.packed, c.scales, c.queries = reuse.Slice(c.packed, len(s.scores)*2*columns), reuse.Slice(c.scales, len(s.scores)), reuse.Slice(c.queries, len(s.scores))
	for i := range s.scores {
		q := &c.queries[i]
		q.Packed = c.packed[i*2*columns : (i+1)*2*columns]
		if !q.Set(s.scores[i].query) {
			return false
		}
		if a, b := q.Bound(); !s.scores[i].cosine && a*residual+b*norm > maxCodeError {
			return false
		}
		c.scales[i] = q.Scale
	}
	c.table = codes
	return true
}

// codesRead returns the codes if the last pass of this query read them, and there are exact
// rows beside them.
func (s *Sweep) codesRead() *quant.Table {
	if s.w == nil || !s.w.model.Predictor.EntityTable.Type().IsFloat() {
		return nil
	}
	return s.coded.table
}

// splitCodes splits the rows for a pass over codes.
func (s *Sweep) splitCodes() sweepShape {
	c := &s.coded
	columns := quant.Columns(c.table.Width)
	return splitRows(c.table.Rows(), columns, len(s.sums), max(4, min(256, codeTile/columns)&^3), columns)
}

// codeBlock is scoreBlock and sumBlock in a pass over codes.
func (s *Sweep) codeBlock(b sweepBlock) {
	c := &s.coded
	tile, scales := c.table.Tile(b.lo, b.hi), c.table.Scales[b.lo:b.hi]
	size, i, alone := 2*quant.Columns(c.table.Width), 0, len(s.sums) == 0
	dst := func(i int) Vector { return s.scores[i].dst[b.lo:b.hi] }
	for ; i+4 <= len(s.scores); i += 4 {
		simd.DotRows4I8(dst(i), dst(i+1), dst(i+2), dst(i+3), tile, scales, c.packed[i*size:(i+4)*size], c.scales[i:i+4], alone)
	}
	if i+2 <= len(s.scores) {
		simd.DotRows2I8(dst(i), dst(i+1), tile, scales, c.packed[i*size:(i+2)*size], c.scales[i:i+2], alone)
		i += 2
	}
	if i < len(s.scores) {
		simd.DotRowsI8(dst(i), tile, scales, c.queries[i].Packed, c.scales[i], alone)
	}
	s.loopBlock(b)
	for i = 0; i+2 <= len(s.sums); i += 2 {
		simd.SumRows2I8(s.row(b.chunk, i), s.row(b.chunk, i+1), tile, scales, s.weigh(i, b), s.weigh(i+1, b))
	}
	if i < len(s.sums) {
		simd.SumRowsI8(s.row(b.chunk, i), tile, scales, s.weigh(i, b))
	}
}
