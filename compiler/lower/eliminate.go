package lower

import (
	"github.com/efoc/efoc/compiler/ir"
)

// eliminate removes the existential variables from the graph one by one: a leaf or, if there is none, a member
// of the cutset.
func (d *degreeBuilder) eliminate() {
	for {
		if u := d.nextLeaf(); u > 0 {
			d.leaf(u)
		} else if u := d.nextCut(); u > 0 {
			d.condition(u)
		} else {
			return
		}
	}
}

// nextLeaf returns a variable with at most one neighbour, preferably an informed one, as it may inform its
// neighbour. It returns 0 if there is no such variable.
func (d *degreeBuilder) nextLeaf() int {
	leaf := 0
	for u := 1; u < len(d.variables); u++ {
		if d.variables[u].done || len(d.neighbors(u)) > 1 {
			continue
		}
		if d.variables[u].informed {
			return u
		}
		if leaf == 0 {
			leaf = u
		}
	}
	return leaf
}

// finish removes u from the graph and returns its degrees, which become a set of the plan if u is informed.
func (d *degreeBuilder) finish(u int) known {
	d.loops(u)
	d.variables[u].done = true
	k := d.of(u)
	if d.variables[u].informed {
		name := d.name(u)
		set := d.add(ir.Value{Op: ir.Dense, Origin: d.origin(ir.DegreesOf, u)}, d.joined(k))
		d.plan.Sets = append(d.plan.Sets, ir.Set{Disjunct: d.disjunct, Variable: name, Value: set})
	}
	return k
}

// leaf eliminates a variable. It pushes the variable's degrees into its neighbour, exactly if they are linked
// only by an inequality; without a neighbour, it scales all answers by the largest degree.
func (d *degreeBuilder) leaf(u int) {
	k := d.finish(u)
	neighbors := d.neighbors(u)
	if len(neighbors) == 0 {
		k.degrees = d.add(ir.Value{Op: ir.Peak, Index: u, Origin: d.origin(ir.PeakOf, u)}, k.degrees)
		d.scales = append(d.scales, k)
		return
	}
	v := neighbors[0]
	links := d.between(u, v)
	if !relational(links) {
		other := d.add(ir.Value{Op: ir.Other, Index: u, Origin: d.reads(ir.PushOf, links...)}, k.degrees)
		d.restrict(v, known{other, k.branched})
		return
	}
	choose := ir.Value{Op: ir.Every}
	push := ir.Leaf
	if d.variables[u].informed {
		choose.Op = ir.Best
		push = ir.Push
		if !positive(links) { // an entity without an observed link is reachable
			choose.Op, choose.Index = ir.Values, manyValues
		}
		d.inform(v, links)
	}
	choose.Origin = d.origin(ir.CandidatesOf, u)
	candidates := d.add(choose, d.joined(k))
	rows := d.rows(candidates, links)
	d.restrict(v, d.push(push, u, d.reads(ir.PushOf, links...), k, rows))
}
