// Package exchange describes the share of one rank in a model whose entities are split: which entities it owns, and
// how the ranks exchange numbers of entities. Rank i owns the i-th range of ids. Its graph has the pairs with a tail
// in that range: heads are ids of all entities, tails count from the first entity of the rank.
package exchange

import (
	"slices"
	"sync"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Shard is one of the shards of a model, with the group of ranks that hold the others. nil is the only shard of a
// whole model: exchanges there do nothing, and entities are rows.
type Shard struct {
	*collective.Group
	// First is the first entity of this shard, Rows its number of entities, and Entities the number in
	// all shards.
	First, Rows, Entities int

	root   *Shard // the shard behind this lane, or this shard itself
	pushes []bool // of each relation: push sums
	mu     sync.Mutex
	idle   []*room
}

// New returns the shard for m, in a group with a rank for each shard.
func New(m *model.Model, g *collective.Group) *Shard {
	s := m.Manifest.Shard
	p := &Shard{Group: g, First: s.First, Rows: s.Rows, Entities: m.Manifest.Entities, pushes: make([]bool, m.NumRelations())}
	for _, r := range s.Pushed {
		p.pushes[r] = true
	}
	p.root = p
	return p
}

// Lane returns the shard for one of several queries that exchange together: see
// collective.Group.Lane.
func (p *Shard) Lane(meet func(list []*collective.Exchange)) *Shard {
	return &Shard{Group: p.Group.Lane(meet), First: p.First, Rows: p.Rows, Entities: p.Entities, root: p.root, pushes: p.pushes}
}

// Whole returns the shard behind the lane p, for exchanges made once for all lanes.
func (p *Shard) Whole() *Shard {
	if p == nil {
		return nil
	}
	return p.root
}

// Total returns the number of entities in all shards, if this one has n.
func (p *Shard) Total(n int) int {
	if p == nil {
		return n
	}
	return p.Entities
}

// Local returns the row of an entity, and whether it is in this shard.
func (p *Shard) Local(e int32) (row int32, mine bool) {
	if p == nil {
		return e, true
	}
	row = e - int32(p.First)
	return row, row >= 0 && int(row) < p.Rows
}

// Global returns the entity in a row of this shard.
func (p *Shard) Global(row int32) int32 {
	if p == nil {
		return row
	}
	return row + int32(p.First)
}

// Exchange makes the waiting exchanges: see collective.Group.
func (p *Shard) Exchange() {
	if p != nil {
		p.Group.Exchange()
	}
}

// AddLater sets x to the sums over all shards, at the next exchange.
func (p *Shard) AddLater(x []float32) {
	if p != nil {
		p.Group.AddLater(x)
	}
}

// Add is AddLater followed by Exchange.
func (p *Shard) Add(x []float32) {
	if p != nil && len(x) > 0 {
		sum := slices.Clone(x) // x would escape
		p.Group.AddLater(sum)
		p.Exchange()
		copy(x, sum)
	}
}

// Max sets x to the maxima over all shards.
func (p *Shard) Max(x []float32) {
	if p != nil && len(x) > 0 {
		p.Group.Max(x)
	}
}

// Gather returns the numbers of all shards, in order; each has equally many. It returns nil after an error.
func Gather[T any](p *Shard, x []T) []T {
	if p == nil {
		return x
	}
	return collective.Gather(p.Group, x)
}

// Best is BestLater followed by Exchange.
func (p *Shard) Best(found []top.Ranked, k int) []top.Ranked {
	if p == nil {
		return found
	}
	return p.best(found, k)
}

func (p *Shard) best(found []top.Ranked, k int) (best []top.Ranked) {
	p.BestLater(found, k, func(all []top.Ranked) { best = all })
	p.Exchange()
	return best
}

// BestLater calls done, at the next exchange, with the k best of the shards' entities, best first, ties in order of
// id. Each shard lists rows, in the same order; an only shard lists at most k.
func (p *Shard) BestLater(found []top.Ranked, k int, done func(best []top.Ranked)) {
	if p == nil {
		done(found)
		return
	}
	mine := make([]top.Ranked, min(k, p.Entities))
	for i := range mine {
		mine[i].Entity = -1
		if i < len(found) {
			mine[i] = top.Ranked{Entity: found[i].Entity + graph.EntityID(p.First), Score: found[i].Score}
		}
	}
	collective.GatherLater(p.Group, mine, func(all []top.Ranked) {
		all = slices.DeleteFunc(all, func(r top.Ranked) bool { return r.Entity < 0 })
		slices.SortFunc(all, top.Compare)
		done(all[:min(k, len(all))])
	})
}

// bounds returns the range of rank i.
func (p *Shard) bounds(i int) (lo, hi int) {
	first, rows := graph.ShardRows(p.Entities, p.Size(), i)
	return first, first + rows
}

// owner returns the rank that owns an entity.
func (p *Shard) owner(e int32) int {
	i := int(int64(e) * int64(p.Size()) / int64(p.Entities))
	for lo, hi := p.bounds(i); ; lo, hi = p.bounds(i) {
		switch {
		case int(e) < lo:
			i--
		case int(e) >= hi:
			i++
		default:
			return i
		}
	}
}

// Embeddings sets dst to the rows of a table for some entities, consecutively. All ranks ask for the same entities.
func (p *Shard) Embeddings(dst []float32, ids []int32, table *table.Table) {
	width := table.Width()
	own := func(to []float32, row int32) { copy(to, table.Row(graph.EntityID(row), to)) }
	if p == nil {
		for i, e := range ids {
			own(dst[i*width:(i+1)*width], e)
		}
		return
	}
	r := p.take()
	defer p.give(r)
	counts := make([]int, p.Size())
	r.out = reuse.Slice(r.out, len(ids)*width)[:0]
	for _, e := range ids {
		counts[p.owner(e)]++
		if row, mine := p.Local(e); mine {
			r.out = r.out[:len(r.out)+width]
			own(r.out[len(r.out)-width:], row)
		}
	}
	r.receive(counts, width)
	for i := range r.to {
		r.to[i] = r.out
	}
	p.SwapLater(r.from, r.to)
	p.Then(func() {
		for i, e := range ids {
			o := p.owner(e)
			copy(dst[i*width:(i+1)*width], r.from[o])
			r.from[o] = r.from[o][width:]
		}
	})
	p.Exchange()
}
