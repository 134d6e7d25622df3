// Package scq describes the disjuncts of a query, which are conjunctive queries (simple ones: disjuncts),
// as graphs over numbered slots. It knows neither formulas nor plans.
package scq

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Disjunct is one disjunct of a query as a query graph over slots: a multigraph whose nodes are variables and
// constants, and whose signed, directed edges are the atoms. The compiler makes plans from it,
// and package exact matches it with facts. Plans carry one for each disjunct.
type Disjunct struct {
	// Variables are the names of the variables in the shape: f, the free one, first, then
	// the existential ones e1, e2, ….
	Variables []string
	// Atoms are the literals of the disjunct. Each variable of an inequality is in another atom too.
	Atoms []Atom
}

// Atom is the literal r(head, tail) or its negation: an edge of a query graph.
type Atom struct {
	// Relation is a relation slot, or Identity.
	Relation   int
	Head, Tail Term
	Negated    bool
}

// Identity is the relation "is the same as", which fills no slot. Its atoms are all negated:
// they are the inequalities of a query.
const Identity = -1

// NewUnequal returns the inequality of a variable and another term. A constant slot is its
// tail; of two variables, the one with the lower index is its head.
func NewUnequal(a, b Term) Atom {
	if a.Constant || !b.Constant && a.Index > b.Index {
		a, b = b, a
	}
	return Atom{Relation: Identity, Head: a, Tail: b, Negated: true}
}

// Given reports whether a question and an answer to it fix both ends: each is a constant or the free
// variable.
func (a Atom) Given() bool {
	given := func(t Term) bool { return t.Constant || t.Index == 0 }
	return given(a.Head) && given(a.Tail)
}

// Unequal reports whether the atom is an inequality.
func (a Atom) Unequal() bool { return a.Relation == Identity }

// Term is a constant slot or a variable: a node of a query graph.
type Term struct {
	// Constant says that Index is a constant slot, otherwise it is an index
	// into Disjunct.Variables.
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

// String returns the atoms in canonical text: r1(s1,e1) & !r2(e1,f) & f!=s2.
func (g *Disjunct) String() string {
	parts := make([]string, len(g.Atoms))
	for i, a := range g.Atoms {
		parts[i] = g.AtomText(a)
	}
	return strings.Join(parts, " & ")
}

// Text returns the canonical text of a shape, by which plans are found: the query graphs of its
// disjuncts, joined by |.
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

// Excludes reports whether an inequality with a constant excludes e as the free variable.
func (g *Disjunct) Excludes(b Bindings, e graph.EntityID) bool {
	return slices.ContainsFunc(g.Atoms, func(a Atom) bool {
		return a.Unequal() && a.Head == Var(0) && a.Tail.Constant && b.excludes(a.Tail.Index, e)
	})
}

// Bindings gives the slots of a plan their values.
type Bindings struct {
	// Constants holds the entity of each constant slot. A slot of an inequality may have a filter in place of
	// it, by its FilterID: then the inequality keeps out all entities that do not meet the filter, as one with
	// an entity keeps out that one.
	Constants []graph.EntityID
	// Relations holds the relation of each relation slot.
	Relations []graph.RelationID
	// Filters are what FilterIDs stand for.
	Filters []*model.Selection
}

// FilterID returns what stands in Bindings.Constants for the filter of an index. It is far below what stands
// for no entity.
func FilterID(i int) graph.EntityID { return math.MinInt32 + graph.EntityID(i) }

// Filter returns the filter that an entry of Constants stands for, nil for an entity.
func (b Bindings) Filter(e graph.EntityID) *model.Selection {
	if i := int(e) - math.MinInt32; i < len(b.Filters) {
		return b.Filters[i]
	}
	return nil
}

// FilterOf returns the filter of an atom, nil if it has none.
func (b Bindings) FilterOf(a Atom) *model.Selection {
	if !a.Unequal() || !a.Tail.Constant {
		return nil
	}
	return b.Filter(b.Constants[a.Tail.Index])
}

// TakesFilter reports whether a filter may stand in a constant slot: it does in inequalities alone.
func TakesFilter(disjuncts []Disjunct, slot int) bool {
	return !slices.ContainsFunc(disjuncts, func(g Disjunct) bool {
		return slices.ContainsFunc(g.Atoms, func(a Atom) bool {
			return !a.Unequal() && (a.Head == Const(slot) || a.Tail == Const(slot))
		})
	})
}

// excludes reports whether an inequality with a constant slot excludes an entity.
func (b Bindings) excludes(slot int, e graph.EntityID) bool {
	if f := b.Filter(b.Constants[slot]); f != nil {
		return f.Factor(e) == 0
	}
	return b.Constants[slot] == e
}

// Negates reports whether some disjunct negates an atom of a relation: then an answer that
// follows from a graph may not follow from a larger one.
func Negates(disjuncts []Disjunct) bool {
	return slices.ContainsFunc(disjuncts, func(g Disjunct) bool {
		return slices.ContainsFunc(g.Atoms, func(a Atom) bool { return a.Negated && !a.Unequal() })
	})
}
