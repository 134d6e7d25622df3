package model

import (
	"math"
	"sync"

	"github.com/efoc/efoc/kernels/quant"
)

// A batch of queries multiplies rows of 16-bit integers where the table has codes of 8 bits
// with rows beside them. The codes are the high bytes, and low bytes say what they are off by,
// in 256ths of the row's scale:
//
//	E_el ≈ scale_e · (code_el + low_el/256), off by scale_e/512, at the end of the range scale_e/256.

// lowBytes are those of all codes. They are computed at first use.
type lowBytes struct {
	once  sync.Once
	bytes []int8
}

// LowBytes returns the low bytes of the codes of the entity table, as many as there are codes.
// It returns nil if the table has no codes of 8 bits with rows beside them.
func (m *Model) LowBytes() []int8 {
	table := &m.Predictor.EntityTable
	codes := table.Codes()
	if codes == nil || codes.Codes == nil || !table.Type().IsFloat() {
		return nil
	}
	m.lows.once.Do(func() {
		const rows = 256
		m.lows.bytes = make([]int8, len(codes.Codes))
		m.Pool().Each((table.Rows()+rows-1)/rows, func(_, b int) {
			buf := make([]float32, table.width)
			for e := b * rows; e < min((b+1)*rows, table.Rows()); e++ {
				table.lowBytes(m.lows.bytes, EntityID(e), buf)
			}
		})
	})
	return m.lows.bytes
}

// lowBytes writes the low bytes of row e; buf is room for a row.
func (t *Table) lowBytes(dst []int8, e EntityID, buf []float32) {
	columns, scale := quant.Columns(t.width), t.codes.Scales[e]
	inverse := 1 / scale
	if !(scale > 0 && inverse <= math.MaxFloat32) {
		return // the row is 0, or nearly
	}
	row := t.Row(e, buf)
	codes, low := t.codes.Codes[int(e)*columns:][:len(row)], dst[int(e)*columns:][:len(row)]
	for l, v := range row {
		// Adding 2²³·1.5 rounds to an integer, which the low bits hold.
		off := 256 * (v*inverse - float32(codes[l]))
		low[l] = int8(max(-128, min(127, int32(math.Float32bits(off+0x1.8p23))-0x4b400000)))
	}
}
