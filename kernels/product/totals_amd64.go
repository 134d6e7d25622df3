//go:build amd64 && !noasm

package product

import kernel "github.com/efoc/efoc/kernels/internal/amx"

// Rows begins a block: row i stands for high[i*columns+l] + low[i*columns+l]/256, and rows are
// added for some number of queries, whose weights are to follow. It needs HasIntegers.
func (t *Totals) Rows(queries int, high, low []int8, rows, columns int) {
	t.prepare(queries, rows, columns)
	check(min(len(high), len(low)), rows, columns, columns)
	whole := rows / stepRows
	const block = 8 * 4 * tileWords // bytes of the tiles of 64 rows and 64 columns
	for i, bytes := range [2][]int8{high, low} {
		tiles := t.tiles[i*block/2:]
		if whole > 0 {
			kernel.InterleaveInt8(&tiles[0], &bytes[0], columns, whole, columns/groupColumns, t.steps*block)
		}
		if whole < t.steps {
			clear(t.edge[copy(t.edge, bytes[whole*stepRows*columns:rows*columns]):])
			kernel.InterleaveInt8(&tiles[whole*block], &t.edge[0], columns, 1, columns/groupColumns, t.steps*block)
		}
	}
}

// Weigh sets the weights of query j for the rows of the block, which have some scales. It
// reports false where a product of both is not finite or too large or small: then the query
// has no weights in this block.
func (t *Totals) Weigh(j int, weights, scales []float32) bool {
	_ = scales[:len(weights)]
	n := t.steps * stepRows
	w := &weights[0]
	s := &scales[0]
	if len(weights) < n {
		clear(t.padded[copy(t.padded, weights):n])
		clear(t.scales[copy(t.scales, scales[:len(weights)]):n])
		w = &t.padded[0]
		s = &t.scales[0]
	}
	group := j / groupQueries * t.steps * 2 * 4 * tileWords
	at := j % groupQueries * stepRows
	largest := kernel.WeighInt8(&t.weights[group+at], w, s, t.steps)
	t.units[j] = largest / 32512
	if largest > 0x1p-100 && largest < 0x1p100 {
		return true
	}
	t.units[j] = 0
	return largest == 0
}

// AddTo computes acc[j*stride+l] += Σ_i weights_j[i]·scales[i]·(row i)_l for all queries j, whose
// weights have been set, and all columns l.
func (t *Totals) AddTo(acc []float32, stride int) {
	groups := len(t.units) / groupQueries
	check(len(acc), groups*groupQueries, t.columns, stride)
	if groups > 0 {
		kernel.TotalInt8(&acc[0], 4*stride, &t.weights[0], &t.units[0], &t.tiles[0], t.steps, groups, t.columns/groupColumns, &t.sums[0])
	}
}
