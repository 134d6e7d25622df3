package atoms

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// A row that a sweep has made for other facts, or for a model with fewer entities, gives the row that is missing, with
// few rows of the table. Let x_e be exp(s_e − top) times the factors of regularities, 0 for an entity that the model
// lacks. With D, the entities whose x_e changes to x'_e, the sum over all entities becomes
//
//	Σ' = Σ + Σ_{e∈D} (x'_e − x_e).
//
// Outside of D, the degrees of links that are not observed change by the ratio of the factors before clipping, which
// contain 1/Σ. The ratio must not exceed belowShare, so that degrees under the threshold that reach it are known.

// mostReweighed bounds the rows of the table that are read for a derived row.
const mostReweighed = 256

// derive makes those of the missing rows that can be derived from others.
func (c *Cache) derive(k *maker) {
	missing := k.missing
	k.missing = k.missing[:0]
	for _, x := range missing {
		row := c.derived(k, x)
		if row == nil {
			k.missing = append(k.missing, x)
			continue
		}
		k.places[x] = len(k.rows)
		k.rows = append(k.rows, c.add(k.scale.cached(x, k.number, k.graph), row, nil))
	}
	for i, x := range k.missing {
		k.places[x] = len(k.rows) + i
	}
}

// derived derives a row, or returns nil.
func (c *Cache) derived(k *maker, x Key) *fuzzy.Set {
	source := c.source(x, k.scale)
	if source == nil || k.scale.mass || !c.Charge(max(k.charged, k.need(1)), &k.charged) {
		return nil
	}
	from := source.made
	to := *from.scored
	to.table = &k.model.Predictor.EntityTable
	to.weights = c.factors.weightsOf(k.facts, k.scale, x.R, false)
	tails := k.graph.Tails(graph.EntityID(x.H), x.R)
	changed := from.changed(&to.weights, k.model.NumEntities())
	if len(changed) > mostReweighed {
		return nil
	}

	before := from.share(from.tails) / from.by
	sum := before
	for _, e := range changed {
		sum += to.exponential(e)
		if int(e) < from.entities {
			sum -= from.exponential(e)
		}
	}
	to.by = to.share(tails) / sum
	if !(sum > before/2 && to.by > 0 && to.by <= belowShare*from.by) { // without cancellation or overflow
		return nil
	}
	return k.rescaled(x, source, &to, changed, tails)
}

// rescaled makes a row of another one. The entities in changed are computed anew, and those whose degrees were clipped
// or observed.
func (k *maker) rescaled(x Key, source *entry, to *scored, changed, tails []int32) *fuzzy.Set {
	room := &k.workers[0]
	room.prepare(k.model.NumEntities())
	from := source.made
	degrees := room.degrees
	clear(degrees[from.entities:])
	old := source.row.Full
	if old == nil {
		old = degrees[:from.entities]
		source.row.Dense(old)
	}
	anew := appendOthers(changed, room.ids[:simd.IndexAbove(room.ids[:len(old)], old, Limit)], tails)
	ratio := float32(to.by / from.by)
	least := float32(to.threshold * math.Exp(-to.most))
	simd.ScaleClip(degrees[:len(old)], old, ratio, least, Limit)
	for i, e := range from.below.IDs {
		if d := from.below.Deg[i] * ratio; d >= least {
			degrees[e] = d
		}
	}
	for _, e := range anew {
		degrees[e] = to.Degree(e)
	}
	count := simd.IndexAbove(room.ids, degrees, math.SmallestNonzeroFloat32)
	return k.finish(x, count, tails, to, room)
}

// appendOthers appends to dst those of an ascending list that another one lacks.
func appendOthers(dst, list, lacks []int32) []int32 {
	for _, e := range list {
		for len(lacks) > 0 && lacks[0] < e {
			lacks = lacks[1:]
		}
		if len(lacks) == 0 || lacks[0] != e {
			dst = append(dst, e)
		}
	}
	return dst
}
