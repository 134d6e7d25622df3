package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/scq"
)

// reading is an atom with the direction in which it is read: from an end whose degrees
// are known to the other end.
type reading struct {
	atom int
	scq.Atom
	from, to scq.Term
	// inverse says that it is read from its tail.
	inverse bool
}

// readings returns an atom of the graph as it is read from its head, and from its tail.
func readings(i int, a scq.Atom) [2]reading {
	return [2]reading{{i, a, a.Head, a.Tail, false}, {i, a, a.Tail, a.Head, true}}
}

// text lists the atoms, r⁻¹ for those that are read from their tail.
func (d *degreeBuilder) text(links ...reading) string {
	texts := make([]string, len(links))
	for i, l := range links {
		texts[i] = d.graph.AtomText(l.Atom)
		if l.inverse {
			sign := ""
			if l.Negated {
				sign = "!"
			}
			texts[i] = fmt.Sprintf("%sr%d^-1(%s,%s)", sign, l.Relation+1, d.graph.TermName(l.Tail), d.graph.TermName(l.Head))
		}
	}
	return strings.Join(texts, ", ")
}

// positive reports whether a link is not negated.
func positive(links []reading) bool {
	return slices.ContainsFunc(links, func(l reading) bool { return !l.Negated })
}

// between returns the atoms between u and v as links that are read from u.
func (d *degreeBuilder) between(u, v int) []reading {
	var links []reading
	for i, e := range d.graph.Atoms {
		for _, l := range readings(i, e) {
			if u != v && l.from == scq.Var(u) && l.to == scq.Var(v) {
				links = append(links, l)
			}
		}
	}
	return links
}

// neighbors returns the variables that share an atom with u and are not eliminated.
func (d *degreeBuilder) neighbors(u int) []int {
	var vs []int
	for v := range d.variables {
		if v != u && !d.variables[v].done && len(d.between(u, v)) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}
