package table

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/internal/largepages"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// A batch of queries multiplies rows of 16-bit integers if the table has both codes and rows. The codes are the high
// bytes. The low bytes are the rounding errors of the codes, in 256ths of the row's scale:
//
//	E_el ≈ scale_e · (code_el + low_el/256)
//
// The error is at most scale_e/512, or scale_e/256 if the low byte is at the end of its range.

// lowBytes are the low bytes of all codes, computed at first use.
type lowBytes struct {
	once      sync.Once
	made      atomic.Bool
	bytes     []int8
	sharedEnd *grow.End // of bytes
	// first has the bytes of the first rows, if computed for a model with fewer.
	first    []int8
	firstEnd *grow.End
}

// grown returns the low bytes of a table with appended rows.
func (l *lowBytes) grown() lowBytes {
	if !l.made.Load() {
		return lowBytes{first: l.first, firstEnd: l.firstEnd}
	}
	return lowBytes{first: l.bytes, firstEnd: l.sharedEnd}
}

// within returns the low bytes of the first rows of a grown table, which have the given codes.
func (l *lowBytes) within(codes *quant.Table) lowBytes {
	if !l.made.Load() {
		return l.grown()
	}
	return lowBytes{first: l.bytes[:len(codes.Codes)], firstEnd: grow.At(codes.Rows())}
}

// LowBytes returns the low bytes of all codes. The workers compute them at first use. It returns nil if the table has
// no codes with exact rows.
func (t *Table) LowBytes(workers *pool.Pool) []int8 {
	codes := t.codes
	if codes == nil || !t.dtype.IsFloat() {
		return nil
	}
	l := &t.derived.lows
	l.once.Do(func() {
		columns := quant.Columns(t.width)
		first := len(l.first) / columns
		more := largepages.Make[int8](len(codes.Codes) - first*columns)
		const rows = 256
		added := len(more) / columns
		workers.Each((added+rows-1)/rows, func(_, b int) {
			buf := make([]float32, t.width)
			for e := b * rows; e < min((b+1)*rows, added); e++ {
				t.lowBytes(more[e*columns:(e+1)*columns], graph.EntityID(first+e), buf)
			}
		})
		var own bool
		l.sharedEnd, own = l.firstEnd.Take(first, len(more)/columns)
		if first > 0 {
			more = grow.Append(l.first, more, own)
		}
		l.bytes = more
		l.made.Store(true)
	})
	return l.bytes
}

// lowBytes writes the low bytes of row e; buf is room for a row.
func (t *Table) lowBytes(dst []int8, e graph.EntityID, buf []float32) {
	columns := quant.Columns(t.width)
	scale := t.codes.Scales[e]
	inverse := 1 / scale
	if !(scale > 0 && inverse <= math.MaxFloat32) {
		return // the row is 0, or nearly
	}
	row := t.Row(e, buf)
	codes := t.codes.Codes[int(e)*columns:][:len(row)]
	low := dst[:len(row)]
	for l, v := range row {
		// Adding 2²³·1.5 rounds to an integer, which the low bits hold.
		off := 256 * (v*inverse - float32(codes[l]))
		low[l] = int8(max(-128, min(127, int32(math.Float32bits(off+0x1.8p23))-0x4b400000)))
	}
}
