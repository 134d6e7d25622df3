package lang

import (
	"github.com/efoc/efoc/lang/ast"

	"github.com/efoc/efoc/lang/limits"
)

// far is the distance of a variable that is not connected to the free one.
const far = limits.Variables + 2

// orient gives each literal of a disjunct a canonical direction, so that the normal form of a query does not
// depend on the notation: r^-1(b, a) is r(a, b). An entity comes first. Between variables, the tail is the end
// with fewer literals, of either sign, between it and the free variable; at equal distances ^-1 is left out.
// The head of an inequality is a variable.
func orient(disjunct ast.Disjunct, free string) {
	distance := distances(disjunct, free)
	for i := range disjunct.Literals {
		l := disjunct.Literals[i].Forward()
		if l.Kind != ast.LinkAtom {
			if l.Head.Kind != ast.Variable {
				disjunct.Literals[i].Head, disjunct.Literals[i].Tail = l.Tail, l.Head
			}
			continue
		}
		if l.Head.Kind == ast.Variable && (l.Tail.Kind != ast.Variable || distance(l.Head) < distance(l.Tail)) {
			l = l.Reverse()
		}
		disjunct.Literals[i] = l
	}
}

// distances returns a function that gives the number of literals between a variable of the disjunct and the
// free one.
func distances(disjunct ast.Disjunct, free string) func(ast.Term) int {
	known := map[string]int{free: 0}
	distance := func(t ast.Term) int {
		if d, ok := known[t.Name]; ok {
			return d
		}
		return far
	}
	for changed := true; changed; {
		changed = false
		for _, l := range disjunct.Literals {
			if l.Kind != ast.LinkAtom || l.Head.Kind != ast.Variable || l.Tail.Kind != ast.Variable {
				continue
			}
			near := min(distance(l.Head), distance(l.Tail)) + 1
			for _, t := range []ast.Term{l.Head, l.Tail} {
				if near < distance(t) && near < far {
					known[t.Name] = near
					changed = true
				}
			}
		}
	}
	return distance
}
