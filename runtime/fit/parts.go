package fit

import (
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/top"
)

// parts is the memory of a run on a part of a split model.
//
// On a part of a split model, sets hold the degrees of the part's entities, numbered from its first one; candidates
// and the heads of links are entities of all parts. Results that depend on other parts are exchanged: the best
// entities, the largest degree, the degrees of candidates and of the heads of links, and the normalisers of rows.
// Whether there is an exchange depends only on values that all ranks share; whether sets are full differs between
// ranks. A whole model is its only part.
type parts struct {
	arena fuzzy.Arena
	part  *exchange.Shard // nil for a whole model
}

// entities returns the number of entities of all parts.
func (p *parts) entities() int { return p.part.Total(p.arena.N) }

// largest returns the largest degree of each set.
func (p *parts) largest(x []*fuzzy.Set) []float32 {
	list := p.arena.Floats.Take(len(x))
	for i, y := range x {
		list[i] = y.Top(p.arena.N)
	}
	p.part.Max(list)
	return list
}

// top returns the largest degree.
func (p *parts) top(x *fuzzy.Set) float32 { return p.largest([]*fuzzy.Set{x})[0] }

// bestOf returns the k entities of largest degree above 0, best first, ties in order of id.
func (p *parts) bestOf(x *fuzzy.Set, k int) []top.Ranked {
	return p.part.Best(p.arena.Best(x, k), k)
}

// degrees sets dst to the degrees of entities in each of some sets, one set after the other.
func (p *parts) degrees(dst []float32, ids []int32, x []*fuzzy.Set) {
	p.ownDegrees(dst, ids, x)
	p.part.Add(dst)
}

// ownDegrees is degrees for the entities of this part, 0 for others.
func (p *parts) ownDegrees(dst []float32, ids []int32, x []*fuzzy.Set) {
	for i, u := range x {
		for j, e := range ids {
			d := float32(0)
			if row, mine := p.part.Local(e); mine {
				d = u.At(row)
			}
			dst[i*len(ids)+j] = d
		}
	}
}

// bestRow returns the entity of the best row that any part has found, -1 if none has.
func (p *parts) bestRow(found top.Ranked) int32 {
	if p.part == nil {
		return int32(found.Entity)
	}
	list := []top.Ranked{found}
	if found.Entity < 0 {
		list = nil
	}
	list = p.part.Best(list, 1)
	if len(list) == 0 {
		return -1
	}
	return int32(list[0].Entity)
}

// listsNothing reports whether a set lists no degrees, only a default for all.
func (p *parts) listsNothing(x *fuzzy.Set) bool {
	size := []float32{float32(x.Size())}
	p.part.Max(size)
	return size[0] == 0
}

// everything reports whether a set is fuzzy.All on all parts: a part may have no entity of lesser degree while others
// do.
func (p *parts) everything(x *fuzzy.Set) bool {
	lesser := p.arena.Floats.Take(1)
	lesser[0] = 1
	if x == fuzzy.All {
		lesser[0] = 0
	}
	p.part.Max(lesser)
	return lesser[0] == 0
}
