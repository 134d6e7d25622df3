package lang

import (
	"github.com/efoc/efoc/lang/ast"

	"github.com/efoc/efoc/lang/limits"
)

// far is the distance of a variable that nothing links to the free one.
const far = limits.Variables + 2

// orient brings the literals of a disjunct into one direction each, so that a query has one
// normal form however its atoms are written: r^-1(b, a) is r(a, b). An entity stands
// first. Between variables, the literal runs towards the free one: its tail is the end
// with fewer literals, of either sign, between it and the free variable. Where both ends
// are equally far, ^-1 is left out. A variable is the head of an inequality.
func orient(disjunct ast.Disjunct, free string) {
	distance := distances(disjunct, free)
	for i := range disjunct.Literals {
		l := disjunct.Literals[i].Forward()
		if l.Same {
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

// distances returns a function that says how many literals lie between a variable of an
// disjunct and the free one.
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
			if l.Same || l.Head.Kind != ast.Variable || l.Tail.Kind != ast.Variable {
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
