package train

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// pull is a term of a row's gradient: weight times vector.
type pull struct {
	row    int32
	order  int32
	weight float32
	vector []float32
}

// gradient collects a step's gradient of the rows of a table, except the part through a softmax's exponentials.
type gradient struct {
	pulls []pull
	// uses counts the examples that use a row, for the regulariser.
	uses    []int32
	touched []int32 // rows with uses, in the order of first use
}

func (g *gradient) reset(rows int) {
	if g.uses == nil {
		g.uses = make([]int32, rows)
	}
	for _, row := range g.touched {
		g.uses[row] = 0
	}
	g.touched = g.touched[:0]
	g.pulls = g.pulls[:0]
}

// use counts examples that use a row.
func (g *gradient) use(row int32, examples int) {
	if g.uses[row] == 0 {
		g.touched = append(g.touched, row)
	}
	g.uses[row] += int32(examples)
}

func (g *gradient) pull(row int32, weight float32, vector []float32) {
	g.pulls = append(g.pulls, pull{row, int32(len(g.pulls)), weight, vector})
}

// sort orders the pulls by row, stably.
func (g *gradient) sort() {
	slices.SortFunc(g.pulls, func(a, b pull) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.order, b.order)) })
}

func (g *gradient) of(row int32) []pull {
	lo, found := slices.BinarySearchFunc(g.pulls, row, func(p pull, row int32) int { return cmp.Compare(p.row, row) })
	if !found {
		return nil
	}
	hi := lo
	for hi < len(g.pulls) && g.pulls[hi].row == row {
		hi++
	}
	return g.pulls[lo:hi]
}

// updater takes steps of Adagrad. It reuses its memory between steps.
type updater struct {
	workers *pool.Pool
	scratch []matrix // by worker
	rate    float32
}

// update updates rows of t. The first ones of rows are the candidates of dense, if any; nil rows means all rows in
// order. n3 is the weight of the regulariser in one example.
func (u *updater) update(t *weights, rows []int32, dense *softmax, g *gradient, n3 float64) {
	g.sort()
	count := t.values.rows
	if rows != nil {
		count = len(rows)
	}
	for len(u.scratch) < u.workers.Size() {
		u.scratch = append(u.scratch, matrix{})
	}
	blocks := (count + blockRows - 1) / blockRows
	u.workers.Each(blocks, func(worker, b int) {
		part := &u.scratch[worker]
		if part.width != t.values.width {
			*part = newMatrix(blockRows, t.values.width)
		}
		lo := b * blockRows
		hi := min(lo+blockRows, count)
		candidates := 0
		if dense != nil {
			candidates = min(max(lo, dense.scores.rows), hi) - lo
		}
		if candidates > 0 {
			dense.pull(part, lo, candidates, worker)
		}
		clear(part.from(candidates))
		for i := lo; i < hi; i++ {
			row := int32(i)
			if rows != nil {
				row = rows[i]
			}
			grad := part.row(i - lo)
			for _, p := range g.of(row) {
				simd.ScaleAdd(grad, grad, p.weight, p.vector)
			}
			// The gradient of |x|³ is 3·|x|·x.
			simd.AdagradN3(t.values.row(int(row)), t.squares.row(int(row)), grad, u.rate, float32(3*n3*float64(g.uses[row])))
		}
	})
}
