package fullfit

import (
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"sync/atomic"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// limit is the largest degree of a link that is not observed.
const limit = 0.9999

// errTooLarge says that a matrix has more entries than there is room for.
var errTooLarge = errors.New("matrix too large")

// maker makes matrices, many rows at a time: the scores of rows are a matrix product.
type maker struct {
	model *query.Model
	pool  *model.Pool
	// entries is the number of entries that the next matrix may have.
	entries int64
	workers []worker
}

// newMaker returns a maker that works on all processors. It is to be closed.
func newMaker(m *query.Model) *maker {
	b := &maker{model: m, pool: model.NewPool(goruntime.NumCPU())}
	b.workers = make([]worker, b.pool.Size())
	return b
}

// worker is the room that a thread needs.
type worker struct {
	queries, head, scores []float32
	columns               product.Right // the queries
	block                 product.Left  // of the table
	decoded               []float32     // rows of which there are only codes
	ids                   []int32
	deg                   []float32
}

// scoreBytes bounds the scores of the rows that a thread makes at once, minRows is how
// many it makes at least. blockRows is the number of rows of the table in one product.
const (
	scoreBytes = 16 << 20
	minRows    = 16
	blockRows  = 128
)

// sampleRows is the number of rows that a matrix's size is estimated from.
const sampleRows = 32

// estimate returns the bytes that matrices will take, by rows all over them.
func (b *maker) estimate(ctx context.Context, keys []Key) (int64, error) {
	n := b.model.NumEntities()
	b.entries = math.MaxInt64
	total := int64(0)
	for _, k := range keys {
		var heads []int
		for h := 0; h < n; h += max(1, n/sampleRows) {
			heads = append(heads, h)
		}
		part, err := b.rows(ctx, k, heads)
		if err != nil {
			return 0, err
		}
		total += matrixBytes(n, int64(len(part.ids))*int64(n)/int64(len(heads)))
	}
	return total, nil
}

// matrix makes a matrix.
func (b *maker) matrix(ctx context.Context, k Key) (*matrix, error) {
	heads := make([]int, b.model.NumEntities())
	for h := range heads {
		heads[h] = h
	}
	return b.rows(ctx, k, heads)
}

// rows makes the rows of the given heads, many at a time on each thread.
func (b *maker) rows(ctx context.Context, k Key, heads []int) (*matrix, error) {
	n := b.model.NumEntities()
	size := max(minRows, scoreBytes/(4*n))
	parts := make([]matrix, (len(heads)+size-1)/size)
	var entries atomic.Int64
	b.pool.Each(len(parts), func(worker, i int) {
		if ctx.Err() == nil && entries.Load() <= b.entries {
			parts[i] = b.workers[worker].part(b.model, k, heads[i*size:min((i+1)*size, len(heads))])
			entries.Add(int64(len(parts[i].ids)))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if entries.Load() > b.entries {
		return nil, errTooLarge
	}
	m := &matrix{
		start: make([]int64, 1, len(heads)+1),
		ids:   make([]int32, 0, entries.Load()), deg: make([]float32, 0, entries.Load()),
	}
	for i := range parts {
		before := int64(len(m.ids))
		for _, end := range parts[i].start {
			m.start = append(m.start, before+end)
		}
		m.ids, m.deg = append(m.ids, parts[i].ids...), append(m.deg, parts[i].deg...)
		parts[i] = matrix{}
	}
	return m, nil
}

// part makes a run of rows; start holds where each of them ends.
func (w *worker) part(m *query.Model, k Key, heads []int) matrix {
	p := &m.Predictor
	n, width, rows := m.NumEntities(), 2*p.Rank, len(heads)
	w.queries = slices.Grow(w.queries[:0], rows*width)[:rows*width]
	w.scores = slices.Grow(w.scores[:0], rows*n)[:rows*n]
	w.head = slices.Grow(w.head[:0], width)[:width]
	for i, h := range heads {
		kernels.Project(w.queries[i*width:(i+1)*width], p.EntityTable.Row(model.EntityID(h), w.head), p.Relation(k.Relation), false, false)
	}
	simd.Scale(w.queries, w.queries, 1/float32(k.Temperature))
	terms := m.ScoreTerms(w.queries)
	w.columns.Pack(product.Of(w.queries, rows, width, width).T(), terms)
	for lo := 0; lo < n; lo += blockRows {
		w.block.Pack(p.EntityTable.Matrix(lo, min(lo+blockRows, n), &w.decoded), terms)
		product.MulT(w.scores[lo:], n, &w.block, &w.columns)
	}
	w.ids, w.deg = w.ids[:0], w.deg[:0]
	var ends []int64
	for i, h := range heads {
		w.row(m, k, h, w.scores[i*n:(i+1)*n])
		ends = append(ends, int64(len(w.ids)))
	}
	return matrix{start: ends, ids: slices.Clone(w.ids), deg: slices.Clone(w.deg)}
}

// row appends the degrees of a row, of which it overwrites the scores.
func (w *worker) row(m *query.Model, k Key, h int, scores []float32) {
	sum := simd.ExpSum(scores, scores, simd.Max(scores))
	tails := m.Graph.Tails(model.EntityID(h), k.Relation)
	c := float32(max(1, len(tails)))
	if k.Mass && len(tails) > 0 {
		mass := float32(0)
		for _, t := range tails {
			mass += scores[t]
		}
		c = float32(len(tails)) / max(mass/sum, 1e-6)
	}
	c /= sum
	threshold := float32(k.Threshold)
	for t, v := range scores {
		p := min(limit, c*v)
		switch {
		case len(tails) > 0 && int32(t) == tails[0]:
			p, tails = 1, tails[1:]
		case !(p > 0 && p >= threshold):
			continue
		}
		w.ids, w.deg = append(w.ids, int32(t)), append(w.deg, p)
	}
}
