package lower

import (
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// reading is an atom with the direction in which it is read: from an end whose degrees
// are known to the other end. An inequality is read as an atom of negated identity.
type reading struct {
	atom int // an edge of the graph
	scq.Atom
	from, to scq.Term
	// inverse says that it is read from its tail.
	inverse bool
	// unequal says that it is an inequality.
	unequal bool
}

// readings returns an atom of the graph as it is read from its head, and from its tail.
func readings(i int, a scq.Atom) [2]reading {
	return [2]reading{{i, a, a.Head, a.Tail, false, false}, {i, a, a.Tail, a.Head, true, false}}
}

// positive reports whether a link is not negated.
func positive(links []reading) bool {
	return slices.ContainsFunc(links, func(l reading) bool { return !l.Negated })
}

// relational reports whether a link is an atom.
func relational(links []reading) bool {
	return slices.ContainsFunc(links, func(l reading) bool { return !l.unequal })
}

// between returns the atoms and inequalities between u and v as links that are read from u.
func (d *degreeBuilder) between(u, v int) []reading {
	var links []reading
	for i, e := range d.graph.Atoms {
		for _, l := range readings(i, e) {
			if u != v && l.from == scq.Var(u) && l.to == scq.Var(v) {
				links = append(links, l)
			}
		}
	}
	for i, e := range d.graph.Unequal {
		for _, from := range []scq.Term{e.Left, e.Right} {
			to := e.Left
			if from == e.Left {
				to = e.Right
			}
			if from == scq.Var(u) && to == scq.Var(v) {
				links = append(links, reading{len(d.graph.Atoms) + i, scq.Atom{Negated: true}, from, to, false, true})
			}
		}
	}
	return links
}

// neighbors returns the variables that share an atom or an inequality with u and are not eliminated.
func (d *degreeBuilder) neighbors(u int) []int {
	var vs []int
	for v := range d.variables {
		if v != u && !d.variables[v].done && len(d.between(u, v)) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}
