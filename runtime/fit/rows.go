package fit

import (
	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// limit is the largest degree of a link that is not observed.
const limit = 0.9999

// key names a row: entity h under relation r.
type key struct {
	h int32
	r model.RelationID
}

// scale is what rows depend on beside the model.
type scale struct {
	threshold, temperature float32
	mass                   bool
	leaf                   float32 // φ, for leaves alone
}

// scoreBytes bounds the scores of the rows that one pass over the table makes, and
// minRows is how many it makes at least if there are so many and there is memory.
const (
	scoreBytes = 16 << 20
	minRows    = 16
)

// maker makes rows: a pass over the entity table for many of them.
type maker struct {
	model *model.Model
	graph *model.Graph // of the facts to make rows by
	scale scale
	// missing lists the rows to make, places the index of each in missing, rows the
	// result.
	missing []key
	places  map[key]int
	rows    []*entry
	queries []float32 // rows × 2d
	packed  product.Right
	scores  []float32      // rows × n
	blocks  []product.Left // of the table, one for each worker
	decoded [][]float32    // rows of which there are only codes, of each worker
	charged int64          // memory that Rows counts
}

// newMaker returns a maker for a model.
func newMaker(m *model.Model) *maker {
	return &maker{model: m, places: map[key]int{}, blocks: make([]product.Left, m.Pool().Size()), decoded: make([][]float32, m.Pool().Size())}
}

// kept returns the name of a row.
func (k *maker) kept(x key) cacheKey {
	return cacheKey{x, k.scale, k.graph.RowStamp(model.EntityID(x.h), x.r)}
}

// need returns the memory for passes of some number of rows.
func (k *maker) need(rows int) int64 {
	n, width := int64(k.model.NumEntities()), 2*k.model.Predictor.Rank
	need := numberBytes * int64(rows) * (n + int64(width))
	if rows >= minProduct {
		need += product.Bytes(rows, width, product.Three) + int64(len(k.blocks))*product.Bytes(blockRows, width, product.Three)
	}
	return need
}

// blockRows is the number of rows of the table that are multiplied at once.
const blockRows = 128

// minProduct is the number of rows from which they are made by products of matrices.
const minProduct = 8

// temperature returns what the scores of a relation are divided by. A scale without
// one leaves them as they are.
func (k *maker) temperature(r model.RelationID) float32 {
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
	k.queries, k.scores = resize(k.queries, rows*width), resize(k.scores, rows*n)
	var head []float32
	for i, x := range keys {
		head = p.EntityTable.Row(model.EntityID(x.h), nil)
		q := k.queries[i*width : (i+1)*width]
		kernels.Project(q, head, p.Relation(x.r), false, false)
		if t := k.temperature(x.r); t != 1 {
			simd.Scale(q, q, 1/t)
		}
	}
	if rows < minProduct {
		k.dots(rows)
		return
	}
	// As exact as float32: what is left of a negated degree, 1 − P, may be as small as P's error.
	const terms = product.Three
	k.packed.Pack(product.Of(k.queries, rows, width, width).T(), terms)
	m.Pool().Each((n+blockRows-1)/blockRows, func(worker, b int) {
		lo, hi := b*blockRows, min((b+1)*blockRows, n)
		block := &k.blocks[worker]
		block.Pack(p.EntityTable.Matrix(lo, hi, &k.decoded[worker]), terms)
		product.MulT(k.scores[lo:], n, block, &k.packed)
	})
}

// dots is pass for few rows.
func (k *maker) dots(rows int) {
	table, n, width := &k.model.Predictor.EntityTable, k.model.NumEntities(), 2*k.model.Predictor.Rank
	k.model.Pool().Each((n+blockRows-1)/blockRows, func(_, b int) {
		lo, hi := b*blockRows, min((b+1)*blockRows, n)
		score := func(i int) []float32 { return k.scores[i*n+lo : i*n+hi] }
		query := func(i int) []float32 { return k.queries[i*width : (i+1)*width] }
		i := 0
		for ; i+4 <= rows; i += 4 {
			table.DotRows4(score(i), score(i+1), score(i+2), score(i+3), lo, hi, query(i), query(i+1), query(i+2), query(i+3))
		}
		for ; i < rows; i++ {
			table.DotRows(score(i), lo, hi, query(i))
		}
	})
}

// resize returns n uninitialised numbers, in the memory of x if that is enough.
func resize(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}

// row turns the scores of a row into its degrees; it overwrites them.
func (k *maker) row(x key, scores []float32) *fuzzy {
	sum := simd.ExpSum(scores, scores, simd.Max(scores))
	tails := k.graph.Tails(model.EntityID(x.h), x.r)
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
	// The degrees take the place of the scores, so that their number is known before
	// there are lists of them.
	count := len(tails)
	for e, v := range scores {
		if v < cut {
			scores[e] = 0
			continue
		}
		p := min(limit, c*v)
		if p < k.scale.threshold {
			p = 0
		}
		if scores[e] = p; p > 0 {
			count++
		}
	}
	for _, t := range tails {
		if scores[t] > 0 {
			count--
		}
		scores[t] = 1
	}
	y := &fuzzy{ids: make([]int32, 0, count), deg: make([]float32, 0, count)}
	for e, p := range scores {
		if p > 0 {
			y.ids, y.deg = append(y.ids, int32(e)), append(y.deg, p)
		}
	}
	return y
}
