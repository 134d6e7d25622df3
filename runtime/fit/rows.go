package fit

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime"
)

// limit is the largest degree of a link that is not observed.
const limit = 0.9999

// key names a row: entity h under relation r.
type key struct {
	h int32
	r runtime.RelationID
}

// scale is what rows depend on beside the model.
type scale struct {
	threshold, temperature float32
	mass                   bool
}

// scoreBytes bounds the scores of the rows that one pass over the table makes, and
// minRows is how many it makes at least if there are so many.
const (
	scoreBytes = 16 << 20
	minRows    = 16
)

// maker makes rows: a pass over the entity table for many of them.
type maker struct {
	model *runtime.Model
	scale scale
	// missing are the rows to make, places where each stands, rows what was made.
	missing []key
	places  map[key]int
	rows    []*fuzzy
	queries []float32 // rows × 2d
	scores  []float32 // rows × n
	workers []scratch
}

// scratch is the room of one worker.
type scratch struct {
	products []float32 // rows × block
	table    []float32 // block × 2d, for tables that are not float32
	ids      []int32
	deg      []float32
}

// make makes the rows that are missing, in order.
func (k *maker) make(ctx context.Context) error {
	n := k.model.NumEntities()
	k.rows = slices.Grow(k.rows[:0], len(k.missing))[:len(k.missing)]
	size := max(minRows, scoreBytes/(4*n))
	for lo := 0; lo < len(k.missing); lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		keys := k.missing[lo:min(lo+size, len(k.missing))]
		k.pass(keys)
		k.parallel(len(keys), func(i int, s *scratch) { k.rows[lo+i] = k.row(keys[i], k.scores[i*n:(i+1)*n], s) })
	}
	return nil
}

// blockRows is the number of rows of the table that are multiplied at once.
const blockRows = 128

// temperature returns what the scores of a relation are divided by. A scale without
// one leaves them as they are.
func (k *maker) temperature(r runtime.RelationID) float32 {
	switch factors := k.model.Manifest.Temperatures; {
	case k.scale.temperature == 0:
		return 1
	case factors != nil:
		return k.scale.temperature * float32(factors[r])
	}
	return k.scale.temperature
}

// pass computes the scores ⟨r⊗E_h, E_t⟩ of the keys, rows × n.
func (k *maker) pass(keys []key) {
	m, p := k.model, &k.model.Predictor
	n, width, rows := m.NumEntities(), 2*p.Rank, len(keys)
	k.queries = slices.Grow(k.queries[:0], rows*width)[:rows*width]
	k.scores = slices.Grow(k.scores[:0], rows*n)[:rows*n]
	var head []float32
	for i, x := range keys {
		head = p.EntityTable.Row(runtime.EntityID(x.h), nil)
		q := k.queries[i*width : (i+1)*width]
		kernels.Project(q, head, p.Relation(x.r), false, false)
		if t := k.temperature(x.r); t != 1 {
			simd.Scale(q, q, 1/t)
		}
	}
	if rows < 4 {
		k.parallel((n+blockRows-1)/blockRows, func(b int, _ *scratch) {
			lo, hi := b*blockRows, min((b+1)*blockRows, n)
			for i := range keys {
				p.EntityTable.DotRows(k.scores[i*n+lo:i*n+hi], lo, hi, k.queries[i*width:(i+1)*width])
			}
		})
		return
	}
	k.parallel((n+blockRows-1)/blockRows, func(b int, s *scratch) {
		lo, hi := b*blockRows, min((b+1)*blockRows, n)
		if p.EntityTable.Type() != runtime.Float32 {
			s.table = slices.Grow(s.table[:0], blockRows*width)[:blockRows*width]
		}
		s.products = slices.Grow(s.products[:0], rows*blockRows)[:rows*blockRows]
		size := hi - lo
		simd.GemmNT(s.products, k.queries, p.EntityTable.Block(lo, hi, s.table), rows, size, width)
		for i := range keys {
			copy(k.scores[i*n+lo:i*n+hi], s.products[i*size:(i+1)*size])
		}
	})
}

// row turns the scores of a row into its degrees; it overwrites them.
func (k *maker) row(x key, scores []float32, s *scratch) *fuzzy {
	sum := simd.ExpSum(scores, scores, simd.Max(scores))
	tails := k.model.Graph.Tails(runtime.EntityID(x.h), x.r)
	c := float32(max(1, len(tails)))
	if k.scale.mass && len(tails) > 0 {
		mass := float32(0)
		for _, t := range tails {
			mass += scores[t]
		}
		c = float32(len(tails)) / max(mass/sum, 1e-6)
	}
	c /= sum
	// What is below the cut has no degree; the cut is a little low, for rounding.
	cut := k.scale.threshold / c * (1 - 1e-6)
	s.ids = slices.Grow(s.ids[:0], len(scores))[:len(scores)]
	s.deg = slices.Grow(s.deg[:0], len(scores))[:len(scores)]
	count, from := 0, 0
	for i := 0; i <= len(tails); i++ { // the entities between observed tails
		to := len(scores)
		if i < len(tails) {
			to = int(tails[i])
		}
		for e, v := range scores[from:to] {
			if v < cut {
				continue
			}
			if p := min(limit, c*v); p > 0 && p >= k.scale.threshold {
				s.ids[count], s.deg[count] = int32(from+e), p
				count++
			}
		}
		if i < len(tails) {
			s.ids[count], s.deg[count] = tails[i], 1
			count++
		}
		from = to + 1
	}
	return &fuzzy{ids: slices.Clone(s.ids[:count]), deg: slices.Clone(s.deg[:count])}
}

// parallel calls do for the indices below n on all processors.
func (k *maker) parallel(n int, do func(i int, s *scratch)) {
	workers := min(goruntime.GOMAXPROCS(0), n)
	for len(k.workers) < workers {
		k.workers = append(k.workers, scratch{})
	}
	if workers == 1 {
		for i := range n {
			do(i, &k.workers[0])
		}
		return
	}
	var next atomic.Int32
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i, &k.workers[w])
			}
		})
	}
	wg.Wait()
}
