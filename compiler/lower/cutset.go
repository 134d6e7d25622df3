package lower

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// The number of values of an enumerated variable for each of the K best: manyValues if it is the only
// enumerated one or all its atoms are negated, so that the witness of a known answer is included; fewValues if
// it is enumerated together with others.
const (
	manyValues = 512
	fewValues  = 16
)

// condition adds u to the cutset: each of its values opens a branch in which u is a constant, unless the value
// is a dead end.
func (d *degreeBuilder) condition(u int) {
	k := d.finish(u)
	neighbors := d.neighbors(u)
	count := manyValues
	if d.values != nil {
		count = fewValues
		d.values.Index = fewValues
	}
	values := d.add(ir.Value{Op: ir.Values, Index: count, Origin: d.origin(ir.ValuesOf, u)}, d.valueSources(u, k, neighbors)...)
	d.values = values
	rows := make([][]*ir.Value, len(neighbors))
	for i, v := range neighbors {
		rows[i] = d.rows(values, d.between(u, v))
	}
	d.branch(u, k, values, rows)
	for i, v := range neighbors {
		links := d.between(u, v)
		each := d.add(ir.Value{Op: ir.Each, Origin: d.reads(ir.EachOf, links...)}, append([]*ir.Value{d.branches}, rows[i]...)...)
		d.restrict(v, known{each, true})
		d.inform(v, links)
	}
}

// valueSources returns the degrees whose best entities become the values of u: its own and, if no constant
// informs u, the proposals of its informed neighbours.
func (d *degreeBuilder) valueSources(u int, k known, neighbors []int) []*ir.Value {
	sources := []*ir.Value{d.joined(k)}
	for _, v := range neighbors {
		if links := d.between(v, u); !d.variables[u].informed && d.variables[v].informed && positive(links) {
			sources = append(sources, d.proposal(v, u, links))
		}
	}
	return sources
}

// proposal emits the candidates for u that follow from those for its informed neighbour v.
func (d *degreeBuilder) proposal(v, u int, links []directedEdge) *ir.Value {
	k := d.of(v)
	candidates := d.add(ir.Value{Op: ir.Best, Origin: d.origin(ir.CandidatesOf, v)}, d.joined(k))
	return d.joined(d.push(ir.Push, v, d.reads(ir.ProposalOf, links...), k, d.rows(candidates, links)))
}

// branch opens a branch for each value of u in each existing branch, and carries their known degrees over.
func (d *degreeBuilder) branch(u int, k known, values *ir.Value, rows [][]*ir.Value) {
	parents := d.branches
	if parents == nil {
		parents = d.add(ir.Value{Op: ir.Root, Origin: ir.Origin{Role: ir.RootOf, Disjunct: d.disjunct}})
	}
	d.branches = d.add(ir.Value{Op: ir.Branch, Index: u, Origin: d.origin(ir.BranchOf, u)}, append([]*ir.Value{k.degrees, values, parents}, slices.Concat(rows...)...)...)
	for v := range d.variables {
		if !d.variables[v].done {
			d.follow(&d.variables[v].known)
		}
	}
	for i := range d.scales {
		d.follow(&d.scales[i])
	}
}

// follow carries degrees from the parent branches over to the new ones.
func (d *degreeBuilder) follow(k *known) {
	if k.branched {
		k.degrees = d.add(ir.Value{Op: ir.Follow}, k.degrees, d.branches)
	}
}

// nextCut returns the variable to condition on, 0 if there is none. With c cutset members, the exact method
// does a push in n^c branches, so the cutset is minimal if the search for a minimal one completes. nextCut then
// returns the best member of a minimal cutset by betterCut; otherwise the best of all variables.
func (d *degreeBuilder) nextCut() int {
	g := make(links, len(d.variables))
	var open []int
	left := uint64(1)
	for u := 1; u < len(d.variables); u++ {
		if !d.variables[u].done {
			open = append(open, u)
			left |= 1 << u
			for _, v := range d.neighbors(u) {
				g[u] |= 1 << v
				g[v] |= 1 << u
			}
		}
	}
	if len(open) == 0 {
		return 0
	}
	slices.SortStableFunc(open, func(u, v int) int {
		switch {
		case d.betterCut(u, v):
			return -1
		case d.betterCut(v, u):
			return 1
		}
		return 0
	})
	states := maxStates
	for size := 0; states > 0 && len(g) <= 64; size++ {
		for _, u := range open {
			if g.broken(left&^(1<<u), size, 1, &states) {
				return u
			}
		}
	}
	return open[0]
}

// maxStates bounds the search for a minimal cutset. AnyCQ's questions of 30 atoms need at most 300.
const maxStates = 20_000

// links holds the neighbours of each variable as a bit set. Variable 0 is the free one.
type links []uint64

// eliminated returns the variables that remain after eliminating leaves.
func (g links) eliminated(left uint64) uint64 {
	for u := 1; u < len(g); u++ {
		if left>>u&1 == 1 && bits.OnesCount64(g[u]&left) <= 1 {
			left &^= 1 << u
			u = 0 // the elimination may have made another leaf
		}
	}
	return left
}

// broken reports whether size variables of index at least from can break all cycles of left. It visits at most
// *states states.
func (g links) broken(left uint64, size, from int, states *int) bool {
	left = g.eliminated(left)
	if left&^1 == 0 {
		return true
	}
	// Removing a variable removes its edges, and a forest has fewer edges than variables.
	ends := 0
	most := 0
	for u := range g {
		if left>>u&1 == 1 {
			n := bits.OnesCount64(g[u] & left)
			ends += n
			if u > 0 {
				most = max(most, n)
			}
		}
	}
	*states--
	if size == 0 || *states <= 0 || size*(most-1) <= ends/2-bits.OnesCount64(left) {
		return false
	}
	for u := from; u < len(g); u++ {
		if left>>u&1 == 1 && g.broken(left&^(1<<u), size-1, u+1, states) {
			return true
		}
	}
	return false
}

// betterCut reports whether u is a better cutset member than v: variables informed by constants come first,
// then those with a constant in an atom, then those with more outgoing atoms.
func (d *degreeBuilder) betterCut(u, v int) bool {
	a := &d.variables[u]
	b := &d.variables[v]
	switch {
	case a.informed != b.informed:
		return a.informed
	case a.constant != b.constant:
		return a.constant
	}
	return d.forward(u) > d.forward(v)
}

// forward counts the atoms with head u minus those with tail u, among atoms between variables that are not
// eliminated.
func (d *degreeBuilder) forward(u int) int {
	sum := 0
	for _, v := range d.neighbors(u) {
		for _, l := range d.between(u, v) {
			switch {
			case l.Unequal():
			case l.inverse:
				sum--
			default:
				sum++
			}
		}
	}
	return sum
}
