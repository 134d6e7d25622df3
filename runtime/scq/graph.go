// Package scq describes the disjuncts of a query, which are simple conjunctive queries, as graphs over numbered
// slots. It knows neither formulas nor plans.
package scq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Disjunct is one disjunct of a query as a graph over slots: a multigraph whose nodes are variables and constants,
// and whose signed, directed edges are the atoms of two terms. The compiler makes plans from it, and package exact
// matches it with facts. A plan carries all its disjuncts.
type Disjunct struct {
	// Variables are the names of the variables in the shape: first the free one, f, then the existential ones e1, e2,
	// ….
	Variables []string
	// Atoms are the literals of two terms. Each variable of an inequality also occurs in another atom.
	Atoms []Atom
	// Filters are the conditions on one variable.
	Filters []Filter
}

// Filter restricts the value of a variable to the entities in a filter slot.
type Filter struct{ Slot, Variable int }

// Atom is the literal r(head, tail) or its negation: an edge of a query graph.
type Atom struct {
	// Relation is a relation slot, or Identity.
	Relation   int
	Head, Tail Term
	Negated    bool
}

// Identity is the relation "is the same as", which has no slot. Its atoms are all negated: the inequalities of a
// query.
const Identity = -1

// NewUnequal returns the inequality of a variable and another term. A constant becomes the tail; of two variables,
// the one with the lower index becomes the head.
func NewUnequal(a, b Term) Atom {
	if a.Constant || !b.Constant && a.Index > b.Index {
		a, b = b, a
	}
	return Atom{Relation: Identity, Head: a, Tail: b, Negated: true}
}

// Given reports whether a question and an answer determine both ends: each is a constant or the free variable.
func (a Atom) Given() bool {
	given := func(t Term) bool { return t.Constant || t.Index == 0 }
	return given(a.Head) && given(a.Tail)
}

// Unequal reports whether the atom is an inequality.
func (a Atom) Unequal() bool { return a.Relation == Identity }

// Term is a constant slot or a variable: a node of a query graph.
type Term struct {
	// Constant says that Index is a constant slot; otherwise it indexes Disjunct.Variables.
	Constant bool
	Index    int
}

// Const returns the term for constant slot i.
func Const(i int) Term { return Term{Constant: true, Index: i} }

// Var returns the term for variable i of the query graph.
func Var(i int) Term { return Term{Index: i} }

// TermName returns the name of a term in the shape: s1, e1, f, ….
func (g *Disjunct) TermName(t Term) string {
	if t.Constant {
		return fmt.Sprintf("s%d", t.Index+1)
	}
	return g.Variables[t.Index]
}

// AtomText returns the atom in canonical text: !r2(e1,f), or f!=s2 for an inequality.
func (g *Disjunct) AtomText(a Atom) string {
	if a.Unequal() {
		return g.TermName(a.Head) + "!=" + g.TermName(a.Tail)
	}
	sign := ""
	if a.Negated {
		sign = "!"
	}
	return fmt.Sprintf("%sr%d(%s,%s)", sign, a.Relation+1, g.TermName(a.Head), g.TermName(a.Tail))
}

// FilterText returns the filter in canonical text: p1(f).
func (g *Disjunct) FilterText(f Filter) string {
	return fmt.Sprintf("p%d(%s)", f.Slot+1, g.Variables[f.Variable])
}

// String returns atoms and filters in canonical text: r1(s1,e1) & !r2(e1,f) & f!=s2 & p1(e1).
func (g *Disjunct) String() string {
	var parts []string
	for _, a := range g.Atoms {
		parts = append(parts, g.AtomText(a))
	}
	for _, f := range g.Filters {
		parts = append(parts, g.FilterText(f))
	}
	return strings.Join(parts, " & ")
}

// Text returns the canonical text of a shape, the key of its plan: the query graphs of its disjuncts, joined by |.
func Text(disjuncts []Disjunct) string {
	texts := make([]string, len(disjuncts))
	for i := range disjuncts {
		texts[i] = disjuncts[i].String()
	}
	return strings.Join(texts, " | ")
}

// Terms returns the terms of all atoms, with repetitions.
func (g *Disjunct) Terms() []Term {
	var terms []Term
	for _, a := range g.Atoms {
		terms = append(terms, a.Head, a.Tail)
	}
	return terms
}

// Excludes reports whether an inequality with a constant, or a filter, excludes e as the free variable.
func (g *Disjunct) Excludes(b Bindings, e graph.EntityID) bool {
	other := func(a Atom) bool {
		return a.Unequal() && a.Head == Var(0) && a.Tail.Constant && b.Constants[a.Tail.Index] == e
	}
	fails := func(f Filter) bool { return f.Variable == 0 && b.Filters[f.Slot].Factor(e) == 0 }
	return slices.ContainsFunc(g.Atoms, other) || slices.ContainsFunc(g.Filters, fails)
}

// Excludes reports whether all disjuncts exclude e as the free variable. Then e has the score 0 and is no answer, but
// where fewer entities have more than are asked for it is among the best.
func Excludes(disjuncts []Disjunct, b Bindings, e graph.EntityID) bool {
	for i := range disjuncts {
		if !disjuncts[i].Excludes(b, e) {
			return false
		}
	}
	return len(disjuncts) > 0
}

// Bindings assigns values to the slots of a plan.
type Bindings struct {
	// Constants holds the entity of each constant slot.
	Constants []graph.EntityID
	// Relations holds the relation of each relation slot.
	Relations []graph.RelationID
	// Filters holds the entities that meet the filter of each filter slot.
	Filters []*model.Selection
}

// Negates reports whether some disjunct negates an atom of a relation: then an answer that follows from a graph may
// not follow from a larger one.
func Negates(disjuncts []Disjunct) bool {
	return slices.ContainsFunc(disjuncts, func(g Disjunct) bool {
		return slices.ContainsFunc(g.Atoms, func(a Atom) bool { return a.Negated && !a.Unequal() })
	})
}
