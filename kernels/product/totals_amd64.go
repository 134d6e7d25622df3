//go:build amd64 && !noasm

package product

import kernel "github.com/efoc/efoc/kernels/internal/amx"

// pack packs the rows of a block into tiles.
func (t *Totals) pack(high, low []int8, rows int) {
	columns := t.columns
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

// weigh converts the weights of query j to integers, and returns the largest product of a weight and its scale.
func (t *Totals) weigh(j int, weights, scales []float32) float32 {
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
	return kernel.WeighInt8(&t.weights[group+at], w, s, t.steps)
}

// addTo implements AddTo.
func (t *Totals) addTo(acc []float32, stride int) {
	groups := len(t.units) / groupQueries
	kernel.TotalInt8(&acc[0], 4*stride, &t.weights[0], &t.units[0], &t.tiles[0], t.steps, groups, t.columns/groupColumns, &t.sums[0])
}
