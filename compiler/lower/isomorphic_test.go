package lower_test

import (
	"fmt"

	"github.com/efoc/efoc/lang"
)

// flatLiteral is a literal whose parts are names that mean something only where
// they are equal.
type flatLiteral struct {
	negated, unequal          bool
	scq, relation, head, tail string
}

// flatten names what the literals of a normal form share: disjuncts, variables
// of a disjunct, slots.
func flatten(d *lang.DNF) []flatLiteral {
	var out []flatLiteral
	for s, scq := range d.SCQs {
		term := func(t lang.Term, site int, arg string) string {
			switch {
			case t.Kind == lang.Variable && t.Name == d.Free:
				return fmt.Sprint("free ", s)
			case t.Kind == lang.Variable:
				return fmt.Sprint("variable ", s, " ", t.Name)
			case t.Kind == lang.Parameter:
				return "constant $" + t.Name
			}
			return fmt.Sprint("constant ", site, " ", arg)
		}
		for _, l := range scq.Literals {
			if l.Same {
				out = append(out, flatLiteral{
					unequal: true, scq: fmt.Sprint("scq ", s), relation: "none", head: term(l.Head, l.Site, ""), tail: term(l.Tail, l.Site, ""),
				})
				continue
			}
			f := flatLiteral{
				negated: l.Negated, scq: fmt.Sprint("scq ", s), head: term(l.Head, l.Site, "head"), tail: term(l.Tail, l.Site, "tail"),
			}
			f.relation = fmt.Sprint("relation ", l.Site, l.Relation.Inverse)
			if l.Relation.Param {
				f.relation = fmt.Sprint("relation $", l.Relation.Name, l.Relation.Inverse)
			}
			out = append(out, f)
		}
	}
	return out
}

// isomorphic tries every assignment of the literals of a to those of b.
func isomorphic(a, b *lang.DNF) bool {
	x, y := flatten(a), flatten(b)
	if len(x) != len(y) {
		return false
	}
	used := make([]bool, len(y))
	var extend func(i int, there, back map[string]string) bool
	extend = func(i int, there, back map[string]string) bool {
		if i == len(x) {
			return true
		}
		for j := range y {
			if used[j] {
				continue
			}
			for _, other := range directions(y[j]) {
				there, back := clone(there), clone(back)
				if !matchLiteral(x[i], other, there, back) {
					continue
				}
				used[j] = true
				if extend(i+1, there, back) {
					return true
				}
				used[j] = false
			}
		}
		return false
	}
	return extend(0, map[string]string{}, map[string]string{})
}

// directions returns a literal, and an inequality the other way round as well.
func directions(l flatLiteral) []flatLiteral {
	if !l.unequal {
		return []flatLiteral{l}
	}
	turned := l
	turned.head, turned.tail = l.tail, l.head
	return []flatLiteral{l, turned}
}

// matchLiteral extends a one-to-one map of names so that it takes x to y.
func matchLiteral(x, y flatLiteral, there, back map[string]string) bool {
	if x.negated != y.negated || x.unequal != y.unequal {
		return false
	}
	for _, p := range [][2]string{{x.scq, y.scq}, {x.relation, y.relation}, {x.head, y.head}, {x.tail, y.tail}} {
		if kindOf(p[0]) != kindOf(p[1]) {
			return false
		}
		t, known := there[p[0]]
		b, taken := back[p[1]]
		if known != taken || known && (t != p[1] || b != p[0]) {
			return false
		}
		there[p[0]], back[p[1]] = p[1], p[0]
	}
	return true
}

func kindOf(name string) string {
	var kind string
	fmt.Sscan(name, &kind)
	return kind
}

func clone(m map[string]string) map[string]string {
	out := make(map[string]string, len(m)+4)
	for k, v := range m {
		out[k] = v
	}
	return out
}
