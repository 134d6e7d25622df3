package lower

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime"
)

// reading is an atom with the direction in which it is read: from an end whose degrees
// are known to the other end.
type reading struct {
	atom int
	runtime.Atom
	// inverse says that it is read from its tail.
	inverse bool
}

// from and to are the ends as the link is read.
func (l reading) from() runtime.Term {
	if l.inverse {
		return l.Tail
	}
	return l.Head
}

func (l reading) to() runtime.Term {
	if l.inverse {
		return l.Head
	}
	return l.Tail
}

// text is the atom, r⁻¹ where it is read from its tail.
func (d *degreeBuilder) text(links ...reading) string {
	text := ""
	for i, l := range links {
		if i > 0 {
			text += ", "
		}
		if l.inverse {
			sign := ""
			if l.Negated {
				sign = "!"
			}
			text += fmt.Sprintf("%sr%d^-1(%s,%s)", sign, l.Relation+1, d.graph.TermName(l.Tail), d.graph.TermName(l.Head))
			continue
		}
		text += d.graph.AtomText(l.Atom)
	}
	return text
}

func positive(links []reading) bool {
	return slices.ContainsFunc(links, func(l reading) bool { return !l.Negated })
}

// between returns the atoms between u and v as links that are read from u.
func (d *degreeBuilder) between(u, v int) []reading {
	var links []reading
	for i, e := range d.graph.Atoms {
		for _, l := range []reading{{i, e, false}, {i, e, true}} {
			if u != v && l.from() == runtime.Var(u) && l.to() == runtime.Var(v) {
				links = append(links, l)
			}
		}
	}
	return links
}

// neighbors returns the variables that share an atom with u and are not eliminated.
func (d *degreeBuilder) neighbors(u int) []int {
	var vs []int
	for v := range d.done {
		if v != u && !d.done[v] && len(d.between(u, v)) > 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// rather reports whether u is the better member of the cutset than v: variables that
// constants inform come first, then anchored ones, then those with more outgoing atoms.
func (d *degreeBuilder) rather(u, v int) bool {
	for _, better := range [][2]bool{{d.informed[u], d.informed[v]}, {d.anchored[u], d.anchored[v]}} {
		if better[0] != better[1] {
			return better[0]
		}
	}
	return d.forward(u) > d.forward(v)
}

// forward counts the atoms of which u is the head, less those of which it is the
// tail, among those with variables that are not eliminated.
func (d *degreeBuilder) forward(u int) int {
	sum := 0
	for _, v := range d.neighbors(u) {
		for _, l := range d.between(u, v) {
			if l.inverse {
				sum--
			} else {
				sum++
			}
		}
	}
	return sum
}
