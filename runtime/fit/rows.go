package fit

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/part"
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
	passes
	workers []workerRoom
	charged int64 // memory that Rows counts
	// On a part of a split model: what rows are normalised by.
	part  *part.Part
	norms []norm
}

// newMaker returns a maker for a model.
func newMaker(m *model.Model) *maker {
	return &maker{model: m, places: map[key]int{}, workers: make([]workerRoom, m.Pool().Size())}
}

// kept returns the name of a row.
func (k *maker) kept(x key) cacheKey {
	return cacheKey{x, k.scale, k.graph.RowStamp(model.EntityID(x.h), x.r)}
}

// row turns what a pass has computed for row i, of x, into its degrees.
func (k *maker) row(x key, i int, room *workerRoom) *fuzzy {
	exps := k.score(i)
	tails := k.graph.Tails(model.EntityID(x.h), x.r)
	by := 0.0 // what exponentials are multiplied by
	if k.part != nil {
		by = k.norms[i].Sum
	} else {
		by = k.normalizer(i, tails)
	}
	room.prepare(len(exps))
	degrees := room.degrees
	count := simd.ScaleClip(degrees, exps, float32(by), k.scale.threshold, limit)
	for _, t := range tails {
		if degrees[t] == 0 {
			count++
		}
		degrees[t] = 1
	}
	if crowded(count, len(degrees)) {
		room.degrees = nil
		return &fuzzy{full: degrees}
	}
	y := &fuzzy{ids: make([]int32, 0, count), deg: make([]float32, 0, count)}
	for _, e := range room.ids[:simd.IndexAbove(room.ids, degrees, math.SmallestNonzeroFloat32)] {
		y.ids, y.deg = append(y.ids, e), append(y.deg, degrees[e])
	}
	return y
}

// normalizer returns what the exponentials of row i are multiplied by, before they are clipped.
func (k *maker) normalizer(i int, tails []int32) float64 {
	exps, sum := k.score(i), k.reading.Exponentials[i].Sum
	c := float64(max(1, len(tails)))
	if k.scale.mass && len(tails) > 0 {
		mass := 0.0
		for _, t := range tails {
			mass += float64(exps[t])
		}
		c = float64(len(tails)) / max(mass/sum, 1e-6)
	}
	return c / sum
}
