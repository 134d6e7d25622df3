package scq

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// Unequal is the inequality left != right, between a variable and a constant slot or
// between two variables of which the left one has the lower index.
type Unequal struct {
	Left, Right Term
}

// NewUnequal returns the inequality of a variable and another term.
func NewUnequal(a, b Term) Unequal {
	if a.Constant || !b.Constant && a.Index > b.Index {
		a, b = b, a
	}
	return Unequal{a, b}
}

// ordered reports whether the terms are as the type says.
func (u Unequal) ordered() bool {
	return !u.Left.Constant && (u.Right.Constant || u.Left.Index < u.Right.Index)
}

// Edges returns the number of edges of the query graph: its atoms, and then its
// inequalities.
func (g *Graph) Edges() int { return len(g.Atoms) + len(g.Unequal) }

// EdgeText returns an edge in canonical text: an atom, or an inequality such as f!=s2.
func (g *Graph) EdgeText(i int) string {
	if i < len(g.Atoms) {
		return g.AtomText(g.Atoms[i])
	}
	u := g.Unequal[i-len(g.Atoms)]
	return g.TermName(u.Left) + "!=" + g.TermName(u.Right)
}

// Terms returns the terms of all edges, as often as they stand there.
func (g *Graph) Terms() []Term {
	var terms []Term
	for _, a := range g.Atoms {
		terms = append(terms, a.Head, a.Tail)
	}
	for _, u := range g.Unequal {
		terms = append(terms, u.Left, u.Right)
	}
	return terms
}

// Excludes reports whether an inequality with a constant says that the free variable is
// not e.
func (g *Graph) Excludes(b Bindings, e model.EntityID) bool {
	return slices.ContainsFunc(g.Unequal, func(u Unequal) bool {
		return u.Left == Var(0) && u.Right.Constant && b.Constants[u.Right.Index] == e
	})
}
