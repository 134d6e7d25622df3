package sample

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/efoc/efoc/runtime/scq"
)

// ground is an atom with its values: relations are read forwards. A term
// is the id of an entity, or ^i for variable i.
type ground struct {
	relation, head, tail int32
	negated              bool
}

// existential reports whether a term is a variable that is not free.
func existential(term int32) bool { return term < ^0 }

// grounds fills the atoms of a pattern.
func (t *Template) grounds(p *scq.Disjunct, args []int32) []ground {
	term := func(x scq.Term) int32 {
		if x.Constant {
			return t.slots.entity(x.Index, args)
		}
		return ^int32(x.Index)
	}
	out := make([]ground, len(p.Atoms))
	for i, a := range p.Atoms {
		g := ground{t.slots.relation(a.Relation, args), term(a.Head), term(a.Tail), a.Negated}
		if g.relation%2 == 1 {
			g.relation, g.head, g.tail = g.relation^1, g.tail, g.head
		}
		out[i] = g
	}
	return out
}

// trivial reports whether a query with these arguments repeats itself or turns back, by the rules in the package
// documentation. The published protocols allow queries that turn back, or have an atom in both signs.
func (t *Template) trivial(args []int32, like Protocol) bool {
	for i := range t.patterns {
		atoms := t.grounds(&t.patterns[i], args)
		for j, a := range atoms {
			for _, b := range atoms[:j] {
				same := a.relation == b.relation && a.head == b.head && a.tail == b.tail && (like == Own || a.negated == b.negated)
				if same || like == Own && !a.negated && !b.negated && turnsBack(a, b, atoms) {
					return true
				}
			}
		}
	}
	return len(slices.Compact(t.keys(args))) < len(t.patterns)
}

// turnsBack reports whether two positive atoms lead by the same relation from one variable x to different ends, so
// that one end may take the value of the other: x is existential and an end is a variable, or an end is a leaf.
func turnsBack(a, b ground, atoms []ground) bool {
	if a.relation != b.relation {
		return false
	}
	check := func(x, y, from, to int32) bool {
		if x != from || x >= 0 || y == to {
			return false
		}
		return existential(x) && (y < 0 || to < 0) || isLeaf(y, atoms) || isLeaf(to, atoms)
	}
	return check(a.head, a.tail, b.head, b.tail) || check(a.tail, a.head, b.tail, b.head)
}

// isLeaf reports whether a term is an existential variable in a single atom.
func isLeaf(x int32, atoms []ground) bool {
	uses := 0
	for _, a := range atoms {
		if a.head == x || a.tail == x {
			uses++
		}
	}
	return existential(x) && uses == 1
}

// maxPermuted bounds the existential variables that are permuted exhaustively.
const maxPermuted = 5

// keys returns the keys of the disjuncts, ascending. Queries have equal keys if they differ only in the order of
// their parts, the names of their variables and the direction in which a relation is read.
func (t *Template) keys(args []int32) []string {
	keys := make([]string, len(t.patterns))
	for i := range t.patterns {
		keys[i] = t.disjunctKey(&t.patterns[i], args)
	}
	slices.Sort(keys)
	return keys
}

// disjunctKey is the least text of a pattern over all orders of its existential variables.
func (t *Template) disjunctKey(p *scq.Disjunct, args []int32) string {
	atoms := t.grounds(p, args)
	n := len(p.Variables) - 1 // the first one is free
	if n < 2 || n > maxPermuted {
		return atomsText(atoms, nil)
	}
	var texts []string
	for g := combin.NewPermutationGenerator(n, n); g.Next(); {
		texts = append(texts, atomsText(atoms, g.Permutation(nil)))
	}
	return slices.Min(texts)
}

// atomsText formats the atoms in order. order, if any, numbers the existential variables.
func atomsText(atoms []ground, order []int) string {
	term := func(x int32) string {
		if order != nil && existential(x) {
			return fmt.Sprint("v", order[^x-1])
		}
		return fmt.Sprint(x)
	}
	texts := make([]string, len(atoms))
	for i, a := range atoms {
		texts[i] = fmt.Sprint(a.negated, a.relation, "(", term(a.head), ",", term(a.tail), ")")
	}
	slices.Sort(texts)
	return strings.Join(texts, "&")
}
