package table

import (
	"fmt"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Type is the type of the numbers in an entity table. All computation is in float32 or, on codes, in integers.
type Type string

// The types of tables. Exact rows besides codes are of Float32.
const (
	// Float32 is the type that sweeps read without codes.
	Float32 Type = "float32"
	// Int8 has 8-bit codes: see package quant. Exact rows may accompany them: see Table.Codes.
	Int8 Type = "int8"
)

// Default is the type that import and train write: codes, with exact Float32 rows.
const Default = Int8

// Check reports an invalid type.
func (t Type) Check() error {
	if t == Float32 || t == Int8 {
		return nil
	}
	return fmt.Errorf("unknown table type %q, want float32 or int8", string(t))
}

// IsFloat reports whether the type is a floating-point type, not codes.
func (t Type) IsFloat() bool { return t != Int8 }

// Size returns the bytes of a number.
func (t Type) Size() int {
	if t == Int8 {
		return 1
	}
	return 4
}

// Table is the entity table E, n × 2d, row-major, in one of the table types. In an opened bundle it is a view. It is
// immutable. Ranges of rows are given as lo and hi, with hi excluded.
//
// A table may have 8-bit codes besides its rows, for sweeps that read fewer bytes: see Codes. Methods other than
// Codes and Bytes concern the rows. A table of type Int8 has only codes, and its rows are the decoded ones.
// They are decoded in small groups.
type Table struct {
	dtype Type
	width int          // 2d
	f32   []float32    // n × 2d if dtype is Float32
	codes *quant.Table // of dtype Int8, or beside f32, otherwise nil

	residual, norm float32 // the largest of a row with codes, once checked

	derived   *derived      // computed of the numbers at first use
	mapping   *mapfile.File // the mapped file behind the numbers, if any
	sharedEnd *grow.End     // of lists that grew
}

// derived holds data computed at first use. Copies of the table share it.
type derived struct {
	lows    lowBytes
	squares columnSquares
}

// put stores row i of a table that has rows. In one of float32 it may be there already.
func (t *Table) put(i int, row []float32) error {
	at := i * t.width
	for k, v := range row {
		t.f32[at+k] = v
		if v-v != 0 {
			return fmt.Errorf("row %d column %d is %v, want a finite number", i, k, v)
		}
	}
	return nil
}

// Type returns the type of the numbers.
func (t *Table) Type() Type { return t.dtype }

// Width returns 2d, the length of a row.
func (t *Table) Width() int { return t.width }

// Rows returns n.
func (t *Table) Rows() int {
	if t.width == 0 {
		return 0
	}
	if !t.dtype.IsFloat() {
		return t.codes.Rows()
	}
	return len(t.f32) / t.width
}

// Bytes returns the bytes that a sweep of the table reads: of the codes if any, otherwise of the rows.
func (t *Table) Bytes() int {
	if t.codes != nil {
		return t.codes.Bytes()
	}
	return t.RowBytes()
}

// RowBytes returns the bytes of the rows, 0 for codes only.
func (t *Table) RowBytes() int { return 4 * len(t.f32) }

// Row returns the row of e as float32. In a float32 table it is a view; otherwise Row fills and returns buf, 2d
// numbers, which may be nil.
func (t *Table) Row(e graph.EntityID, buf []float32) []float32 {
	if t.dtype != Float32 && buf == nil {
		buf = make([]float32, t.width)
	}
	return t.Block(int(e), int(e)+1, buf)
}

// Float32s returns all numbers, n × 2d: a view of a float32 table, otherwise a copy.
func (t *Table) Float32s() []float32 {
	if t.dtype == Float32 {
		return t.f32
	}
	return t.Block(0, t.Rows(), make([]float32, t.Rows()*t.width))
}

// Block returns the rows lo to hi as float32, row-major: a view of a float32 table, otherwise converted into buf,
// which must have room for them.
func (t *Table) Block(lo, hi int, buf []float32) []float32 {
	from := lo * t.width
	to := hi * t.width
	if t.dtype == Float32 {
		return t.f32[from:to:to]
	}
	t.decode(lo, hi, buf)
	return buf[:to-from]
}

// DotRows computes dst[i] = ⟨E_lo+i, q⟩ for the rows lo to hi.
func (t *Table) DotRows(dst []float32, lo, hi int, q []float32) {
	t.each(lo, hi, func(rows []float32, at, n int) { simd.DotRows(dst[at:at+n], rows, q) })
}

// DotRows2 computes DotRows for two queries at once.
func (t *Table) DotRows2(dst0, dst1 []float32, lo, hi int, q0, q1 []float32) {
	t.each(lo, hi, func(rows []float32, at, n int) { simd.DotRows2(dst0[at:at+n], dst1[at:at+n], rows, q0, q1) })
}

// DotRows4 computes DotRows for four queries at once.
func (t *Table) DotRows4(dst0, dst1, dst2, dst3 []float32, lo, hi int, q0, q1, q2, q3 []float32) {
	t.each(lo, hi, func(rows []float32, at, n int) {
		simd.DotRows4(dst0[at:at+n], dst1[at:at+n], dst2[at:at+n], dst3[at:at+n], rows, q0, q1, q2, q3)
	})
}

// AxpyRows computes acc += Σ_i weights[i]·E_lo+i over the rows lo to hi.
func (t *Table) AxpyRows(acc []float32, lo, hi int, weights []float32) {
	t.each(lo, hi, func(rows []float32, at, n int) { simd.AxpyRows(acc, rows, weights[at:at+n]) })
}

// AxpyRows2 computes AxpyRows for two sums at once. Rows from next on, which is hi or
// more, may be fetched into the cache meanwhile.
func (t *Table) AxpyRows2(acc0, acc1 []float32, lo, hi, next int, weights0, weights1 []float32) {
	if t.dtype == Float32 {
		simd.AxpyRows2(acc0, acc1, t.f32[lo*t.width:min(next, t.Rows())*t.width], weights0[:hi-lo], weights1)
		return
	}
	t.each(lo, hi, func(rows []float32, at, n int) {
		simd.AxpyRows2(acc0, acc1, rows, weights0[at:at+n], weights1[at:at+n])
	})
}

// AxpyAt computes acc += Σ_i weights[i]·E_rows[i].
func (t *Table) AxpyAt(acc []float32, rows []int32, weights []float32) {
	switch {
	case t.dtype == Float32:
		simd.AxpyAt(acc, t.f32, rows, weights)
	case !t.dtype.IsFloat() && quant.Columns(t.width) == t.width:
		t.codes.AxpyAt(acc, rows, weights)
	default:
		for i, e := range rows {
			t.AxpyRows(acc, int(e), int(e)+1, weights[i:i+1])
		}
	}
}

// LoopScores computes the scores dst[i] = ⟨r⊗E_lo+i, E_lo+i⟩ of the rows lo to hi, and flips
// their sign if negated is set.
func (t *Table) LoopScores(dst []float32, lo, hi int, r []float32, negated bool) {
	t.each(lo, hi, func(rows []float32, at, n int) { kernels.LoopScores(dst[at:at+n], rows, r, negated) })
}
