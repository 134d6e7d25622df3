package fit

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/internal/pass"
	"github.com/efoc/efoc/runtime/model"
)

// limit is the largest degree of a link that is not observed.
const limit = 0.9999

// key names a row: entity h under relation r.
type key struct {
	h      int32
	r      model.RelationID
	detail detail
}

// detail says how exact a row is to be. In a coarse row, entries are off by some hundredths.
type detail uint8

const (
	exactRow      detail = iota
	coarseRow            // made of codes alone
	coarseNegated        // the same, but large degrees are exact
)

// scale holds everything that rows depend on beside the model.
type scale struct {
	threshold, temperature float32
	mass                   bool
	leaf                   float32 // φ, for leaves alone
	terms                  model.ScoreTerms
}

// scoreBytes bounds the scores of the rows that one pass over the table makes. A pass makes at least
// minRows rows if that many are wanted and memory suffices.
const (
	scoreBytes = 16 << 20
	minRows    = 16
)

// maker makes rows: a pass over the entity table for many of them.
type maker struct {
	model *model.Model
	facts *model.Model // with the facts to make rows by
	graph *model.Graph // of these
	scale scale
	// missing lists the rows to make, places the index of each in missing, rows the
	// result.
	missing []key
	places  map[key]int
	rows    []*entry
	given   map[key]given // scores that need no pass
	before  func(more *pass.Request) bool
	passes
	workers []workerRoom
	charged int64 // memory that Rows counts
	part    *part.Part
	norms   []norm // of the rows of a pass
	weights []weights
	offs    []float64 // see coarse.off; 0 if a row is exact
}

// newMaker returns a maker for a model.
func newMaker(m *model.Model) *maker {
	return &maker{model: m, places: map[key]int{}, given: map[key]given{}, workers: make([]workerRoom, m.Pool().Size())}
}

// given is the scores of a row as message passing has them: negated if its atom is.
type given struct {
	scores []float32
	sign   float32
	exact  bool
}

// kept returns the name of a row. Regularities depend on all facts of the relation.
func (k *maker) kept(x key) cacheKey {
	stamp := k.graph.RowStamp(model.EntityID(x.h), x.r)
	if k.scale.terms.Any() {
		stamp = k.graph.Stamp(x.r)
	}
	return cacheKey{key: x, scale: k.scale, stamp: stamp}
}

// row turns what a pass has computed for row i, of x, into its degrees.
func (k *maker) row(x key, i int, room *workerRoom) *fuzzy {
	exps := k.score(i)
	tails := k.graph.Tails(model.EntityID(x.h), x.r)
	room.prepare(len(exps))
	degrees := room.degrees
	least := k.scale.threshold * float32(math.Exp(-k.offs[i]))
	count := simd.ScaleClip(degrees, exps, float32(k.norms[i].Sum), least, limit)
	c := k.coarseOf(x, i)
	if x.detail == coarseNegated && c != nil {
		k.sharpenNegated(c, degrees, room)
	}
	for _, t := range tails {
		if degrees[t] == 0 {
			count++
		}
		degrees[t] = 1
	}
	if crowded(count, len(degrees)) {
		room.degrees = nil
		return &fuzzy{full: degrees, coarse: c}
	}
	y := &fuzzy{ids: make([]int32, 0, count), deg: make([]float32, 0, count), coarse: c}
	for _, e := range room.ids[:simd.IndexAbove(room.ids, degrees, math.SmallestNonzeroFloat32)] {
		y.ids = append(y.ids, e)
		y.deg = append(y.deg, degrees[e])
	}
	return y
}

// norm normalises a row: exponentials are relative to Top.
type norm struct{ Top, Sum, Mass, Tails float64 }

// normalize sets Sum of the norms of a pass to what the exponentials of the rows, which are of this
// part, are multiplied by before they are clipped.
func (k *maker) normalize(keys []key) {
	k.norms = reuse.Slice(k.norms, len(keys))
	k.model.Pool().Each(len(keys), func(_, i int) { k.norms[i] = k.normOf(keys[i], i) })
	all := part.Gather(k.part, k.norms)
	for i := range k.norms {
		total := norm{Top: math.Inf(-1)}
		own := k.norms[i].Top
		for at := i; at < len(all); at += len(keys) {
			total.Top = max(total.Top, all[at].Top)
		}
		for at := i; at < len(all); at += len(keys) {
			x := all[at]
			by := math.Exp(x.Top - total.Top)
			total.Sum, total.Mass, total.Tails = total.Sum+by*x.Sum, total.Mass+by*x.Mass, total.Tails+x.Tails
		}
		c := max(1, total.Tails)
		if k.scale.mass && total.Tails > 0 {
			c = total.Tails / max(total.Mass/total.Sum, 1e-6)
		}
		if total.Tails > 0 {
			c *= k.weights[i].second
		}
		k.norms[i].Sum = c / total.Sum * math.Exp(own-total.Top)
	}
}

// normOf returns the norm of row x, the i-th of the pass, over the entities of this part.
func (k *maker) normOf(x key, i int) norm {
	if k.scale.terms.Any() {
		k.weigh(x, i)
	}
	e := &k.reading.Exponentials[i]
	n := norm{Top: float64(e.Top), Sum: e.Sum}
	tails := k.graph.Tails(model.EntityID(x.h), x.r)
	n.Tails = float64(len(tails))
	if k.scale.mass {
		exps := k.score(i)
		for _, t := range tails {
			n.Mass += float64(exps[t])
		}
	}
	return n
}
