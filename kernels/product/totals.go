package product

import "github.com/efoc/efoc/kernels/reuse"

// Totals computes weighted sums of rows of 16-bit integers, for many queries at once, over blocks of at most
// TotalRows rows. It reuses its memory between blocks and must not be shared between goroutines.
//
// An integer is 256 times a high byte plus a low byte, both signed; so is the product of a weight and the scale
// of its row, rounded to a multiple of 1/32512 of the largest in the block. Products of two low bytes are
// omitted; the sums are exact, and scaled in float32.
type Totals struct {
	columns, steps, count int
	tiles                 []int8 // of the rows
	edge                  []int8 // of rows that do not fill a step
	weights               []int8 // tiles
	units                 []float32
	padded, scales        []float32 // weights and scales at the edge
	sums                  []int32
	emulated              emulatedTotals
}

// TotalRows is the maximum number of rows in a block.
const TotalRows = 256

// stepRows is the number of rows multiplied at a time.
const stepRows = 64

// prepare allocates memory for a block of rows.
func (t *Totals) prepare(queries, rows, columns int) {
	if columns%groupColumns != 0 || columns == 0 || rows < 1 || rows > TotalRows {
		panic("product: columns of integers do not make whole steps, or too many rows")
	}
	groups := (queries + groupQueries - 1) / groupQueries
	t.columns = columns
	t.steps = (rows + stepRows - 1) / stepRows
	t.count = queries
	t.tiles = reuse.Slice(t.tiles, 2*TotalRows*columns)
	t.edge = reuse.Slice(t.edge, stepRows*columns)
	t.weights, t.units = reuse.Slice(t.weights, groups*groupQueries*t.steps*stepRows*2), reuse.Slice(t.units, groups*groupQueries)
	clear(t.units[queries:])
	t.padded, t.scales = reuse.Slice(t.padded, TotalRows), reuse.Slice(t.scales, TotalRows)
	t.sums = reuse.Slice(t.sums, 8*tileWords)
}

// Rows starts a block: row i is high[i*columns+l] + low[i*columns+l]/256, for the given number of queries,
// whose weights Weigh sets. It needs HasIntegers.
func (t *Totals) Rows(queries int, high, low []int8, rows, columns int) {
	t.prepare(queries, rows, columns)
	check(min(len(high), len(low)), rows, columns, columns)
	if inUse() == emulated {
		t.emulated.rows(queries, high, low, rows)
		return
	}
	t.pack(high, low, rows)
}

// Weigh sets the weights of query j for the rows of the block, which have the given scales. It returns false if
// a product of both is not finite or too large or small: then the query has no weights in this block.
func (t *Totals) Weigh(j int, weights, scales []float32) bool {
	_ = scales[:len(weights)]
	var largest float32
	if inUse() == emulated {
		largest = weighIntegers(t.emulated.weights[j], weights, scales)
	} else {
		largest = t.weigh(j, weights, scales)
	}
	t.units[j] = largest / 32512
	if largest > 0x1p-100 && largest < 0x1p100 {
		return true
	}
	t.units[j] = 0
	return largest == 0
}

// AddTo computes acc[j*stride+l] += Σ_i weights_j[i]·scales[i]·(row i)_l for all queries j with weights, and
// all columns l.
func (t *Totals) AddTo(acc []float32, stride int) {
	check(len(acc), len(t.units), t.columns, stride)
	switch {
	case t.count == 0:
	case inUse() == emulated:
		t.emulated.addTo(acc, stride, t.columns, t.units)
	default:
		t.addTo(acc, stride)
	}
}
