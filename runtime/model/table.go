package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// TableType is the type of the numbers in an entity table. All computing is in
// float32; a table of half the width is read in half the time.
type TableType string

// The types of tables.
const (
	// Float32 is the default.
	Float32 TableType = "float32"
	// BFloat16 has the range of float32 and 8 significant bits.
	BFloat16 TableType = "bfloat16"
	// Float16 has 11 significant bits and a range of ±65504. It holds a
	// checkpoint of float16 without loss.
	Float16 TableType = "float16"
	// Int8 and Int4 have codes of 8 and 4 bits: see package quant. Exact rows, of one of the
	// types above, may stand beside the codes: see Table.Codes.
	Int8 TableType = "int8"
	Int4 TableType = "int4"
)

// DefaultTable is the table that import and train write: codes, with Float32 rows beside them.
const DefaultTable = Int8

// TableTypes lists the types, the most precise first.
var TableTypes = []TableType{Float32, BFloat16, Float16, Int8, Int4}

// FloatTypes lists the types of rows beside codes.
var FloatTypes = TableTypes[:3]

// Check reports an unknown type.
func (t TableType) Check() error {
	if !slices.Contains(TableTypes, t) {
		return fmt.Errorf("unknown table type %q, want float32, bfloat16, float16, int8 or int4", string(t))
	}
	return nil
}

// IsFloat reports whether numbers of the type are floats, rather than codes.
func (t TableType) IsFloat() bool { return t != Int8 && t != Int4 }

// Size returns the bytes of a number, 1 for two codes of 4 bits.
func (t TableType) Size() int {
	switch t {
	case Float32:
		return 4
	case Int8, Int4:
		return 1
	}
	return 2
}

// Table is the entity table E, n × 2d, row-major, in one of the table types. Of
// an opened bundle it is a view. Nothing may change its numbers. Ranges of rows
// are given as lo and hi, hi excluded.
//
// A table may have codes of 8 or 4 bits beside its rows, for passes that read less: see
// Codes. Methods other than Codes and Bytes are about the rows. A table of type Int8 or Int4
// has codes alone, and its rows are what these stand for.
type Table struct {
	dtype TableType
	width int          // 2d
	f32   []float32    // n × 2d if dtype is Float32
	half  []uint16     // the bits, n × 2d, if it is BFloat16 or Float16
	codes *quant.Table // of dtype Int8 or Int4, or beside f32 or half, otherwise nil

	residual, norm float32 // the largest of a row with codes, once checked

	mapping *mapfile.File // what the numbers lie in, if that is a mapped file
	tip     *tip          // of lists that grew
}

// NewTable returns a table of the given type that holds values, which are rows of
// the given width. It rounds to nearest, ties to even, and refuses numbers that
// are not finite or would not be. It takes over the values of a float32 table. A table of
// codes has no rows beside them; WithCodes makes one that has.
func NewTable(values []float32, width int, t TableType) (Table, error) {
	if err := t.Check(); err != nil {
		return Table{}, err
	}
	if width < 2 || width%2 != 0 || len(values)%width != 0 {
		return Table{}, fmt.Errorf("%d numbers do not make rows of %d", len(values), width)
	}
	if !t.IsFloat() {
		codes, err := newCodes(values, width, t)
		return Table{dtype: t, width: width, codes: codes}, err
	}
	table := Table{dtype: t, width: width, f32: values}
	if t != Float32 {
		table.f32, table.half = nil, make([]uint16, len(values))
	}
	for i := range len(values) / width {
		if err := table.put(i, values[i*width:(i+1)*width]); err != nil {
			return Table{}, err
		}
	}
	return table, nil
}

// put stores row i of a table of floats. In one of float32 it may be there already.
func (t *Table) put(i int, row []float32) error {
	at := i * t.width
	for k, v := range row {
		stored := v
		switch t.dtype {
		case BFloat16:
			t.half[at+k] = ref.ToBF16(v)
			stored = ref.BF16(t.half[at+k])
		case Float16:
			t.half[at+k] = ref.ToF16(v)
			stored = ref.F16(t.half[at+k])
		default:
			t.f32[at+k] = v
		}
		if stored-stored != 0 {
			return tableError(i, k, v, t.dtype)
		}
	}
	return nil
}

// tableError says why a number cannot be stored.
func tableError(row, column int, v float32, t TableType) error {
	if v-v == 0 {
		return fmt.Errorf("row %d column %d is %v, which is too large for %s", row, column, v, t)
	}
	return fmt.Errorf("row %d column %d is %v, want a finite number", row, column, v)
}

// Type returns the type of the numbers.
func (t *Table) Type() TableType { return t.dtype }

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
	return max(len(t.f32), len(t.half)) / t.width
}

// Bytes returns the size of what a pass over the table reads: of the codes if there are any,
// otherwise of the rows.
func (t *Table) Bytes() int {
	if t.codes != nil {
		return t.codes.Bytes()
	}
	return t.RowBytes()
}

// RowBytes returns the size of the rows, 0 if there are codes alone.
func (t *Table) RowBytes() int { return 4*len(t.f32) + 2*len(t.half) }

// Row returns the row of e as float32. Of a float32 table it is a view; otherwise
// buf is filled and returned, 2d numbers, which may be nil.
func (t *Table) Row(e EntityID, buf []float32) []float32 {
	if t.dtype != Float32 && buf == nil {
		buf = make([]float32, t.width)
	}
	return t.Block(int(e), int(e)+1, buf)
}

// Float32s returns all numbers, n × 2d: a view of a float32 table, a copy of
// another.
func (t *Table) Float32s() []float32 {
	if t.dtype == Float32 {
		return t.f32
	}
	return t.Block(0, t.Rows(), make([]float32, t.Rows()*t.width))
}

// Block returns the rows lo to hi as float32, row-major: a view of a float32
// table, otherwise converted into buf, which has room for them.
func (t *Table) Block(lo, hi int, buf []float32) []float32 {
	if !t.dtype.IsFloat() {
		return t.decode(lo, hi, buf)
	}
	lo, hi = lo*t.width, hi*t.width
	if t.dtype == Float32 {
		return t.f32[lo:hi:hi]
	}
	buf = buf[:hi-lo]
	if t.dtype == BFloat16 {
		kernels.WidenBF16(buf, t.half[lo:hi])
	} else {
		kernels.WidenF16(buf, t.half[lo:hi])
	}
	return buf
}

// DotRows computes dst[i] = ⟨E_lo+i, q⟩ for the rows lo to hi.
func (t *Table) DotRows(dst []float32, lo, hi int, q []float32) {
	if !t.dtype.IsFloat() {
		t.decoded(lo, hi, func(rows []float32, at, n int) { simd.DotRows(dst[at:at+n], rows, q) })
		return
	}
	dst, lo, hi = dst[:hi-lo], lo*t.width, hi*t.width
	switch t.dtype {
	case BFloat16:
		simd.DotRowsBF16(dst, t.half[lo:hi], q)
	case Float16:
		simd.DotRowsF16(dst, t.half[lo:hi], q)
	default:
		simd.DotRows(dst, t.f32[lo:hi], q)
	}
}

// DotRows2 computes DotRows for two queries at once.
func (t *Table) DotRows2(dst0, dst1 []float32, lo, hi int, q0, q1 []float32) {
	if !t.dtype.IsFloat() {
		t.DotRows(dst0, lo, hi, q0)
		t.DotRows(dst1, lo, hi, q1)
		return
	}
	dst0, lo, hi = dst0[:hi-lo], lo*t.width, hi*t.width
	switch t.dtype {
	case BFloat16:
		simd.DotRows2BF16(dst0, dst1, t.half[lo:hi], q0, q1)
	case Float16:
		simd.DotRows2F16(dst0, dst1, t.half[lo:hi], q0, q1)
	default:
		simd.DotRows2(dst0, dst1, t.f32[lo:hi], q0, q1)
	}
}

// DotRows4 computes DotRows for four queries at once.
func (t *Table) DotRows4(dst0, dst1, dst2, dst3 []float32, lo, hi int, q0, q1, q2, q3 []float32) {
	if !t.dtype.IsFloat() {
		t.DotRows2(dst0, dst1, lo, hi, q0, q1)
		t.DotRows2(dst2, dst3, lo, hi, q2, q3)
		return
	}
	dst0, lo, hi = dst0[:hi-lo], lo*t.width, hi*t.width
	switch t.dtype {
	case BFloat16:
		simd.DotRows4BF16(dst0, dst1, dst2, dst3, t.half[lo:hi], q0, q1, q2, q3)
	case Float16:
		simd.DotRows4F16(dst0, dst1, dst2, dst3, t.half[lo:hi], q0, q1, q2, q3)
	default:
		simd.DotRows4(dst0, dst1, dst2, dst3, t.f32[lo:hi], q0, q1, q2, q3)
	}
}

// AxpyRows computes acc += Σ_i weights[i]·E_lo+i over the rows lo to hi.
func (t *Table) AxpyRows(acc []float32, lo, hi int, weights []float32) {
	if !t.dtype.IsFloat() {
		t.decoded(lo, hi, func(rows []float32, at, n int) { simd.AxpyRows(acc, rows, weights[at:at+n]) })
		return
	}
	weights, lo, hi = weights[:hi-lo], lo*t.width, hi*t.width
	switch t.dtype {
	case BFloat16:
		simd.AxpyRowsBF16(acc, t.half[lo:hi], weights)
	case Float16:
		simd.AxpyRowsF16(acc, t.half[lo:hi], weights)
	default:
		simd.AxpyRows(acc, t.f32[lo:hi], weights)
	}
}

// AxpyRows2 computes AxpyRows for two sums at once. Rows from next on, which is hi or
// more, may be fetched into the cache meanwhile.
func (t *Table) AxpyRows2(acc0, acc1 []float32, lo, hi, next int, weights0, weights1 []float32) {
	if !t.dtype.IsFloat() {
		t.AxpyRows(acc0, lo, hi, weights0)
		t.AxpyRows(acc1, lo, hi, weights1)
		return
	}
	weights0, lo, hi = weights0[:hi-lo], lo*t.width, min(next, t.Rows())*t.width
	switch t.dtype {
	case BFloat16:
		simd.AxpyRows2BF16(acc0, acc1, t.half[lo:hi], weights0, weights1)
	case Float16:
		simd.AxpyRows2F16(acc0, acc1, t.half[lo:hi], weights0, weights1)
	default:
		simd.AxpyRows2(acc0, acc1, t.f32[lo:hi], weights0, weights1)
	}
}

// AxpyAt computes acc += Σ_i weights[i]·E_rows[i].
func (t *Table) AxpyAt(acc []float32, rows []int32, weights []float32) {
	if !t.dtype.IsFloat() {
		for i, e := range rows {
			t.AxpyRows(acc, int(e), int(e)+1, weights[i:i+1])
		}
		return
	}
	switch t.dtype {
	case BFloat16:
		simd.AxpyAtBF16(acc, t.half, rows, weights)
	case Float16:
		simd.AxpyAtF16(acc, t.half, rows, weights)
	default:
		simd.AxpyAt(acc, t.f32, rows, weights)
	}
}

// LoopScores computes dst[i] = ⟨r⊗E_lo+i, E_lo+i⟩ for the rows lo to hi, and flips
// its sign if negated is set.
func (t *Table) LoopScores(dst []float32, lo, hi int, r []float32, negated bool) {
	if !t.dtype.IsFloat() {
		t.decoded(lo, hi, func(rows []float32, at, n int) { kernels.LoopScores(dst[at:at+n], rows, r, negated) })
		return
	}
	dst, lo, hi = dst[:hi-lo], lo*t.width, hi*t.width
	switch t.dtype {
	case BFloat16:
		kernels.LoopScoresBF16(dst, t.half[lo:hi], r, negated)
	case Float16:
		kernels.LoopScoresF16(dst, t.half[lo:hi], r, negated)
	default:
		kernels.LoopScores(dst, t.f32[lo:hi], r, negated)
	}
}

// WeightedSum computes dst = Σ_e w[e]·E_e over all rows. scratch is as long as
// dst, 2d.
func (t *Table) WeightedSum(dst, w, scratch []float32) {
	if !t.dtype.IsFloat() {
		clear(dst)
		t.AxpyRows(dst, 0, t.Rows(), w)
		return
	}
	switch t.dtype {
	case BFloat16:
		kernels.WeightedSumBF16(dst, t.half, w, scratch)
	case Float16:
		kernels.WeightedSumF16(dst, t.half, w, scratch)
	default:
		kernels.WeightedSum(dst, t.f32, w, scratch)
	}
}

// norms returns ‖E_e‖ for each row.
func (t *Table) norms() []float32 {
	lengths, buf := make([]float32, t.Rows()), make([]float32, t.width)
	for e := range lengths {
		sum := 0.0
		for _, v := range t.Row(EntityID(e), buf) {
			sum += float64(v) * float64(v)
		}
		lengths[e] = float32(math.Sqrt(sum))
	}
	return lengths
}
