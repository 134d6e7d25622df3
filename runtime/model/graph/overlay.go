package graph

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"
)

// overlay holds the changed relations of a graph.
type overlay struct {
	relations []*changedRelation // by directed relation; nil if unchanged
	triples   int                // of the whole graph
}

// changedRelation holds the pairs of a changed directed relation. Rows are merged into a new list once there are
// many, or when all pairs are read.
type changedRelation struct {
	pairs  pairs             // sorted by head, then tail, with the old tails of changed rows
	rows   map[int32][]int32 // the tails of changed rows, ascending
	merged atomic.Pointer[pairs]
	stamps *stamps
}

// pairs are parallel lists of heads and tails.
type pairs struct{ heads, tails []int32 }

// stamps record when rows were last changed: a row has the stamp of its head modulo their number, which may be newer
// than its last change. The last stamp is for the whole relation.
type stamps [257]uint64

// lastStamp is the stamp of the last change of any graph.
var lastStamp atomic.Uint64

// minChangedRows is the number of changed rows that a relation of any size may have. Beyond that, and beyond the
// square root of its pairs, they are merged, which keeps both copying the rows with each change and merging them
// cheap.
const minChangedRows = 256

// RowStamp returns a number that differs between two graphs, one derived from the other by With, if the tails of h
// under r differ. It is 0 until they first change.
func (g *Graph) RowStamp(h EntityID, r RelationID) uint64 {
	if c := g.changed(r); c != nil {
		return c.stamps[uint32(h)%(uint32(len(c.stamps))-1)]
	}
	return 0
}

// Stamp is RowStamp for all pairs of r.
func (g *Graph) Stamp(r RelationID) uint64 {
	if c := g.changed(r); c != nil {
		return c.stamps[len(c.stamps)-1]
	}
	return 0
}

// changed returns the changed form of a relation, nil if it has not changed.
func (g *Graph) changed(r RelationID) *changedRelation {
	if g.over == nil {
		return nil
	}
	return g.over.relations[r]
}

// edit adds or removes a pair of a directed relation.
type edit struct {
	relation   RelationID
	head, tail int32
	there      bool
}

// With returns the graph after adding and removing triples, with the numbers of triples added and removed. A triple
// in both lists is added. If nothing changes, With returns g itself.
func (g *Graph) With(add, remove []Triple) (changed *Graph, added, removed int, err error) {
	edits := make([]edit, 0, 2*(len(add)+len(remove)))
	for i, list := range [][]Triple{remove, add} {
		for j, t := range list {
			if err := t.check(g.n, g.NumRelations()/2); err != nil {
				return nil, 0, 0, fmt.Errorf("triple %d to %s: %w", j, []string{"remove", "add"}[i], err)
			}
			there := i == 1
			r := RelationID(2 * t.Relation)
			edits = append(edits, edit{r, int32(t.Head), int32(t.Tail), there}, edit{r.Inverse(), int32(t.Tail), int32(t.Head), there})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.head, b.head), cmp.Compare(a.tail, b.tail))
	})
	next := g.Grown(0)
	next.over = &overlay{}
	if g.over != nil {
		next.over.relations = slices.Clone(g.over.relations)
	} else {
		next.over.relations = make([]*changedRelation, g.NumRelations())
	}
	stamp := lastStamp.Add(1)
	for len(edits) > 0 {
		r := edits[0].relation
		end := 1
		for end < len(edits) && edits[end].relation == r {
			end++
		}
		rows, more, less := g.changedRows(edits[:end])
		edits = edits[end:]
		if len(rows) > 0 {
			next.over.relations[r] = g.replaced(r, rows, stamp)
		}
		if !r.IsInverse() {
			added += more
			removed += less
		}
	}
	if added+removed == 0 {
		return g, 0, 0, nil
	}
	next.over.triples = g.NumTriples() + added - removed
	if next.over.triples > math.MaxInt32/2 {
		return nil, 0, 0, fmt.Errorf("graph of %d triples, want at most %d", next.over.triples, math.MaxInt32/2)
	}
	return next, added, removed, nil
}

// changedRows returns the new tails of the heads in the edits of a directed relation, with the numbers of pairs added
// and removed. It combines edits of the same pair.
func (g *Graph) changedRows(edits []edit) (rows map[int32][]int32, added, removed int) {
	rows = map[int32][]int32{}
	for len(edits) > 0 {
		h := edits[0].head
		end := 1
		for end < len(edits) && edits[end].head == h {
			end++
		}
		old := g.Tails(EntityID(h), edits[0].relation)
		row, more, less := edited(old, edits[:end])
		edits = edits[end:]
		if more+less > 0 {
			rows[h] = row
			added += more
			removed += less
		}
	}
	return rows, added, removed
}

// edited merges the edits of one row into its tails.
func edited(old []int32, edits []edit) (row []int32, added, removed int) {
	row = make([]int32, 0, len(old)+len(edits))
	for len(edits) > 0 {
		t := edits[0].tail
		there := false
		for len(edits) > 0 && edits[0].tail == t {
			there = there || edits[0].there
			edits = edits[1:]
		}
		at, has := slices.BinarySearch(old, t)
		row = append(row, old[:at]...)
		old = old[at:]
		if has {
			old = old[1:]
		}
		switch {
		case there && !has:
			added++
		case !there && has:
			removed++
		}
		if there {
			row = append(row, t)
		}
	}
	return append(row, old...), added, removed
}

// replaced returns a directed relation with the given rows replaced.
func (g *Graph) replaced(r RelationID, rows map[int32][]int32, stamp uint64) *changedRelation {
	next := &changedRelation{stamps: &stamps{}}
	switch old := g.changed(r); {
	case old == nil:
		next.pairs.heads, next.pairs.tails = g.Edges(r)
	case old.merged.Load() != nil:
		next.pairs, *next.stamps = *old.merged.Load(), *old.stamps
	default:
		next.pairs, *next.stamps = old.pairs, *old.stamps
		next.rows = maps.Clone(old.rows)
	}
	if next.rows == nil {
		next.rows = rows
	}
	for h, row := range rows {
		next.rows[h] = row
		next.stamps[uint32(h)%(uint32(len(next.stamps))-1)] = stamp
	}
	next.stamps[len(next.stamps)-1] = stamp
	if many := max(minChangedRows, int(math.Sqrt(float64(len(next.pairs.heads))))); len(next.rows) > many {
		next.pairs = *next.all()
		next.rows = nil
	}
	return next
}

// all returns all pairs of the relation, in order.
func (c *changedRelation) all() *pairs {
	if len(c.rows) == 0 {
		return &c.pairs
	}
	if p := c.merged.Load(); p != nil {
		return p
	}
	c.merged.CompareAndSwap(nil, c.merge()) // the same pairs, if a concurrent call has merged them
	return c.merged.Load()
}

// merge inserts the changed rows.
func (c *changedRelation) merge() *pairs {
	heads := make([]int32, 0, len(c.rows))
	more := 0
	for h, row := range c.rows {
		heads = append(heads, h)
		more += len(row)
	}
	slices.Sort(heads)
	p := &pairs{make([]int32, 0, len(c.pairs.heads)+more), make([]int32, 0, len(c.pairs.heads)+more)}
	at := 0
	upTo := func(h int32) int {
		next, _ := slices.BinarySearch(c.pairs.heads[at:], h)
		return at + next
	}
	for _, h := range heads {
		next := upTo(h)
		p.heads, p.tails = append(p.heads, c.pairs.heads[at:next]...), append(p.tails, c.pairs.tails[at:next]...)
		at = next
		at = upTo(h + 1)
		for _, t := range c.rows[h] {
			p.heads = append(p.heads, h)
			p.tails = append(p.tails, t)
		}
	}
	p.heads, p.tails = append(p.heads, c.pairs.heads[at:]...), append(p.tails, c.pairs.tails[at:]...)
	return p
}

// Plain returns the graph with one list of all its triples, in stored form: g itself unless With made it.
func (g *Graph) Plain() *Graph {
	if g == nil || g.over == nil {
		return g
	}
	p := &Graph{
		n: g.n, sketch: &sketch{}, offsets: make([]int64, 1, len(g.offsets)),
		heads: make([]int32, 0, 2*g.NumTriples()), tails: make([]int32, 0, 2*g.NumTriples()),
	}
	for r := range g.NumRelations() {
		heads, tails := g.Edges(RelationID(r))
		p.heads = append(p.heads, heads...)
		p.tails = append(p.tails, tails...)
		p.offsets = append(p.offsets, int64(len(p.heads)))
	}
	return p
}

// Grown returns the graph with more entities, without triples.
func (g *Graph) Grown(more int) *Graph {
	next := *g
	next.n += more
	return &next
}
