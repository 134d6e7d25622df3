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
		columns, buf := quant.Columns(table.width), make([]float32, table.width)
		m.lows.bytes = make([]int8, len(codes.Codes))
		for e, scale := range codes.Scales {
			if inverse := 1 / scale; scale > 0 && inverse <= math.MaxFloat32 {
				at := e * columns
				for l, v := range table.Row(EntityID(e), buf) {
					off := 256 * (v*inverse - float32(codes.Codes[at+l]))
					m.lows.bytes[at+l] = int8(math.RoundToEven(float64(min(max(off, -128), 127))))
				}
			}
		}
	})
	return m.lows.bytes
}
