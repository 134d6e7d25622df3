package lower

import (
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// directedEdge is an atom and the direction in which it is read: from the end with known degrees to the other
// end.
type directedEdge struct {
	atom int // an index into the graph's atoms
	scq.Atom
	from, to scq.Term
	// inverse says that a relation is read from its tail.
	inverse bool
}

// directions returns atom i read from its head, and read from its tail.
func directions(i int, a scq.Atom) [2]directedEdge {
	return [2]directedEdge{{i, a, a.Head, a.Tail, false}, {i, a, a.Tail, a.Head, !a.Unequal()}}
}

// positive reports whether some edge is not negated.
func positive(edges []directedEdge) bool {
	return slices.ContainsFunc(edges, func(l directedEdge) bool { return !l.Negated })
}

// relational reports whether some edge is not an inequality.
func relational(edges []directedEdge) bool {
	return slices.ContainsFunc(edges, func(l directedEdge) bool { return !l.Unequal() })
}

// between returns the atoms between u and v, read from u.
func (d *degreeBuilder) between(u, v int) []directedEdge {
	var edges []directedEdge
	for i, a := range d.graph.Atoms {
		for _, l := range directions(i, a) {
			if u != v && l.from == scq.Var(u) && l.to == scq.Var(v) {
				edges = append(edges, l)
			}
		}
	}
	return edges
}

// neighbors returns the remaining variables that share an atom with u.
func (d *degreeBuilder) neighbors(u int) []int {
	var vs []int
	for v := range d.variables {
		if v != u && !d.variables[v].done && len(d.between(u, v)) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}
