package lower

import (
	"github.com/efoc/efoc/compiler/ir"
)

// How many values a variable takes for each of the K best: manyValues if it is enumerated alone or
// all its atoms are negated, so that the witness of a known answer is among them; fewValues if it
// is enumerated together with others.
const (
	manyValues = 512
	fewValues  = 16
)

// condition adds u to the cutset: each of its values opens a branch, in which it counts as a
// constant.
func (d *degreeBuilder) condition(u int) {
	k, neighbors := d.finish(u), d.neighbors(u)
	count := manyValues
	if d.values != nil {
		count, d.values.Index = fewValues, fewValues
	}
	values := d.add(ir.Value{Op: ir.Values, Index: count, Origin: d.origin(ir.ValuesOf, u)}, d.valueSources(u, k, neighbors)...)
	d.values = values
	rows := make([][]*ir.Value, len(neighbors))
	for i, v := range neighbors {
		rows[i] = d.rows(values, d.between(u, v))
	}
	d.branch(u, k, values)
	for i, v := range neighbors {
		links := d.between(u, v)
		each := d.add(ir.Value{Op: ir.Each, Origin: d.reads(ir.EachOf, links...)}, append([]*ir.Value{d.branches}, rows[i]...)...)
		d.restrict(v, known{each, true})
		d.inform(v, links)
	}
}

// valueSources returns the degrees whose best entities become the values of u: its own and, if no
// constant informs it, those that its informed neighbours propose.
func (d *degreeBuilder) valueSources(u int, k known, neighbors []int) []*ir.Value {
	sources := []*ir.Value{d.joined(k)}
	for _, v := range neighbors {
		if links := d.between(v, u); !d.variables[u].informed && d.variables[v].informed && positive(links) {
			sources = append(sources, d.proposal(v, u, links))
		}
	}
	return sources
}

// proposal emits the candidates for u that follow from those of v, which is informed.
func (d *degreeBuilder) proposal(v, u int, links []directedEdge) *ir.Value {
	k := d.of(v)
	candidates := d.add(ir.Value{Op: ir.Best, Origin: d.origin(ir.CandidatesOf, v)}, d.joined(k))
	return d.joined(d.push(ir.Push, v, d.reads(ir.ProposalOf, links...), k, d.rows(candidates, links)))
}

// branch opens a branch for each value of u in each branch so far, and carries what is
// known in those over.
func (d *degreeBuilder) branch(u int, k known, values *ir.Value) {
	parents := d.branches
	if parents == nil {
		parents = d.add(ir.Value{Op: ir.Root, Origin: ir.Origin{Role: ir.RootOf, SCQ: d.scq}})
	}
	d.branches = d.add(ir.Value{Op: ir.Branch, Index: u, Origin: d.origin(ir.BranchOf, u)}, k.degrees, values, parents)
	for v := range d.variables {
		if !d.variables[v].done {
			d.follow(&d.variables[v].known)
		}
	}
	for i := range d.scales {
		d.follow(&d.scales[i])
	}
}

// follow carries degrees of the parent branches over to the new ones.
func (d *degreeBuilder) follow(k *known) {
	if k.branched {
		k.degrees = d.add(ir.Value{Op: ir.Follow}, k.degrees, d.branches)
	}
}

// betterCut reports whether u is the better member of the cutset than v: variables that
// constants inform come first, then those with a constant in an atom, then those with more
// outgoing atoms.
func (d *degreeBuilder) betterCut(u, v int) bool {
	a, b := &d.variables[u], &d.variables[v]
	switch {
	case a.informed != b.informed:
		return a.informed
	case a.constant != b.constant:
		return a.constant
	}
	return d.forward(u) > d.forward(v)
}

// forward counts the atoms with u as head, less those with u as tail, among the atoms between
// variables that are not eliminated.
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
