// Package part describes the share of one rank in a model whose entities are split: which
// entities it owns, and how the ranks exchange numbers of entities. Rank i owns the i-th range
// of ids, and its graph has the pairs whose tail it owns: heads are ids of all entities, tails
// count from the first entity of the rank.
package part

import (
	"slices"
	"sync"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
)

// Part is one of the parts of a model, and the group of ranks that have the others.
type Part struct {
	*collective.Group
	// First is the first entity of this part, Rows how many it has, Total those of all parts.
	First, Rows, Total int

	root   *Part // of which this is a lane, or this
	graph  *model.Graph
	pushes []bool // of each relation: numbers go along it as sums
	mu     sync.Mutex
	idle   []*room
}

// New returns the part that m is, of a group with a rank for each part.
func New(m *model.Model, g *collective.Group) *Part {
	s := m.Manifest.Shard
	p := &Part{Group: g, First: s.First, Rows: s.Rows, Total: m.Manifest.Entities, graph: m.Graph, pushes: make([]bool, m.NumRelations())}
	for _, r := range s.Pushed {
		p.pushes[r] = true
	}
	p.root = p
	return p
}

// Lane returns the part for one of several queries, or ops of one, that exchange together: see
// collective.Group.Lane.
func (p *Part) Lane(through func(x *collective.Exchange)) *Part {
	lane := &Part{Group: p.root.Group.Lane(through), First: p.First, Rows: p.Rows, Total: p.Total, root: p.root}
	lane.graph, lane.pushes = p.graph, p.pushes
	return lane
}

// Whole returns the part of which this is a lane: for exchanges that are made for all lanes.
func (p *Part) Whole() *Part { return p.root }

// Owns reports whether an entity is of this part.
func (p *Part) Owns(e int32) bool { return int(e) >= p.First && int(e) < p.First+p.Rows }

// bounds returns the range of rank i.
func (p *Part) bounds(i int) (lo, hi int) {
	first, rows := model.ShardRows(p.Total, p.Size(), i)
	return first, first + rows
}

// owner returns the rank that owns an entity.
func (p *Part) owner(e int32) int {
	i := int(int64(e) * int64(p.Size()) / int64(p.Total))
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

// Values sets dst[i] to the number of entity ids[i], which at returns for a row of this part.
// All ranks ask for the same entities.
func (p *Part) Values(dst []float32, ids []int32, at func(row int32) float32) {
	for i, e := range ids {
		if dst[i] = 0; p.Owns(e) {
			dst[i] = at(e - int32(p.First))
		}
	}
	p.Add(dst)
}

// Embeddings sets dst to rows of entities, one behind the other; row sets to to that of a row
// of this part. All ranks ask for the same entities.
func (p *Part) Embeddings(dst []float32, ids []int32, row func(to []float32, row int32)) {
	if len(ids) == 0 {
		return
	}
	r := p.take()
	defer p.give(r)
	width := len(dst) / len(ids)
	counts := make([]int, p.Size())
	for _, e := range ids {
		counts[p.owner(e)]++
	}
	r.receive(counts, width)
	n := counts[p.Rank()] * width
	r.out = slices.Grow(r.out[:0], n)[:n]
	mine := r.out
	for _, e := range ids {
		if p.Owns(e) {
			row(mine[:width], e-int32(p.First))
			mine = mine[width:]
		}
	}
	for i := range r.to {
		r.to[i] = r.out
	}
	if !p.Swap(r.from, r.to) {
		return
	}
	for i, e := range ids {
		o := p.owner(e)
		copy(dst[i*width:(i+1)*width], r.from[o])
		r.from[o] = r.from[o][width:]
	}
}
