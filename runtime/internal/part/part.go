// Package part is what one rank knows of a model whose entities are split among several:
// which of them it owns, and how the ranks exchange numbers of entities. Rank i owns the
// i-th range of ids, and its graph has the pairs whose tail it owns: heads are ids of all
// entities, tails count from the first entity of the rank.
package part

import (
	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
)

// Part is one of the parts of a model, and the group of ranks that have the others.
type Part struct {
	*collective.Group
	// First is the first entity of this part, Rows how many it has, Total those of all parts.
	First, Rows, Total int

	graph    *model.Graph
	values   []float32 // what pull returns
	out      []float32
	from, to [][]float32
	wanted   []uint64 // a bit for each row
}

// New returns the part that m is, of a group with a rank for each part.
func New(m *model.Model, g *collective.Group) *Part {
	s := m.Manifest.Shard
	return &Part{
		Group: g, First: s.First, Rows: s.Rows, Total: m.Manifest.Entities, graph: m.Graph,
		from: make([][]float32, g.Size()), to: make([][]float32, g.Size()), wanted: make([]uint64, (s.Rows+63)/64),
	}
}

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

// Rows of entities, each as long as dst[0] is; row sets to to that of a row of this part. All
// ranks ask for the same entities.
func (p *Part) Embeddings(dst []float32, ids []int32, row func(to []float32, row int32)) {
	if len(ids) == 0 {
		return
	}
	width, mine := len(dst)/len(ids), 0
	for i := range p.from {
		p.from[i] = p.from[i][:0]
	}
	counts := make([]int, p.Size())
	for _, e := range ids {
		counts[p.owner(e)]++
	}
	total := 0
	for _, c := range counts {
		total += c
	}
	p.values = grow(p.values, total*width)
	p.out = grow(p.out, counts[p.Rank()]*width)
	for _, e := range ids {
		if p.Owns(e) {
			row(p.out[mine*width:(mine+1)*width], e-int32(p.First))
			mine++
		}
	}
	at := 0
	for i, c := range counts {
		p.from[i], p.to[i] = p.values[at:at+c*width], p.out
		at += c * width
	}
	if !p.Swap(p.from, p.to) {
		return
	}
	next := make([]int, p.Size())
	for i, e := range ids {
		o := p.owner(e)
		copy(dst[i*width:(i+1)*width], p.from[o][next[o]*width:])
		next[o]++
	}
}

// pull returns the number of each head of r that has a tail in this part, ascending: at
// returns it for a row of this part. The slice is valid until the next call; it is nil after
// an error.
func (p *Part) pull(r model.RelationID, at func(row int32) float32) []float32 {
	// What others want of this part are the tails of the inverse of r, by the heads of that.
	others, mine := p.graph.Edges(r.Inverse())
	p.out = p.out[:0]
	next := 0
	for i := range p.to {
		_, hi := p.bounds(i)
		clear(p.wanted)
		for ; next < len(others) && int(others[next]) < hi; next++ {
			p.wanted[mine[next]/64] |= 1 << (mine[next] % 64)
		}
		start := len(p.out)
		p.out = appendRows(p.out, p.wanted, at)
		p.to[i] = p.out[start:]
	}
	// Growing may have moved what was sent before.
	at0 := 0
	for i := range p.to {
		n := len(p.to[i])
		p.to[i] = p.out[at0 : at0+n]
		at0 += n
	}
	heads, _ := p.graph.Edges(r)
	counts := p.countHeads(heads)
	total := 0
	for _, c := range counts {
		total += c
	}
	p.values = grow(p.values, total)
	at0 = 0
	for i, c := range counts {
		p.from[i] = p.values[at0 : at0+c]
		at0 += c
	}
	if !p.Swap(p.from, p.to) {
		return nil
	}
	return p.values
}

// EachLink calls use for each link of r whose tail is in this part, with the number of its head,
// which at returns for a row of the part that has it. Links come by their heads; after an error
// there are none.
func (p *Part) EachLink(r model.RelationID, at func(row int32) float32, use func(value float32, head, tail int32)) {
	values := p.pull(r, at)
	if values == nil {
		return
	}
	heads, tails := p.graph.Edges(r)
	next := -1
	for i, h := range heads {
		if i == 0 || h != heads[i-1] {
			next++
		}
		use(values[next], h, tails[i])
	}
}

// countHeads counts the different heads by the ranks that own them.
func (p *Part) countHeads(heads []int32) []int {
	counts := make([]int, p.Size())
	rank := 0
	_, hi := p.bounds(rank)
	for i, h := range heads {
		if i > 0 && h == heads[i-1] {
			continue
		}
		for int(h) >= hi {
			rank++
			_, hi = p.bounds(rank)
		}
		counts[rank]++
	}
	return counts
}

func grow(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}
