// Package scq describes the disjuncts of a query, its subgraph conjunctive queries (SCQs),
// as graphs over numbered slots, and matches them exactly in observed graphs: Holds says
// whether an answer is known. It knows neither formulas nor plans.
package scq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// Graph is the query graph of one SCQ over slots: a multigraph whose nodes are
// variables and constants, and whose signed, directed edges are the atoms. The compiler
// makes plans of it, and whoever looks for exact answers matches it against a Graph.
// Plans carry one for each disjunct.
type Graph struct {
	// Variables are the names of the variables in the shape: f, the free one, first, then
	// the existential ones e1, e2, ….
	Variables []string
	// Atoms are the literals of the SCQ.
	Atoms []Atom
	// Unequal are the inequalities of the SCQ. Each variable in one is in an atom too.
	Unequal []Unequal
}

// Atom is the literal r(head, tail) or its negation: an edge of a query graph.
type Atom struct {
	// Relation is a relation slot.
	Relation   int
	Head, Tail Term
	Negated    bool
}

// Term is a constant slot or a variable: a node of a query graph.
type Term struct {
	// Constant says that Index is a constant slot, otherwise it is an index
	// into Graph.Variables.
	Constant bool
	Index    int
}

// Const returns the term for constant slot i.
func Const(i int) Term { return Term{Constant: true, Index: i} }

// Var returns the term for variable i of the query graph.
func Var(i int) Term { return Term{Index: i} }

// Depth returns D, the number of variables of the SCQ.
func (g *Graph) Depth() int { return len(g.Variables) }

// TermName returns the name of a term in the shape: s1, e1, f, ….
func (g *Graph) TermName(t Term) string {
	if t.Constant {
		return fmt.Sprintf("s%d", t.Index+1)
	}
	return g.Variables[t.Index]
}

// AtomText returns the atom in canonical text: !r2(e1,f).
func (g *Graph) AtomText(a Atom) string {
	sign := ""
	if a.Negated {
		sign = "!"
	}
	return fmt.Sprintf("%sr%d(%s,%s)", sign, a.Relation+1, g.TermName(a.Head), g.TermName(a.Tail))
}

// String returns the atoms and the inequalities in canonical text:
// r1(s1,e1) & !r2(e1,f) & f!=s2.
func (g *Graph) String() string {
	parts := make([]string, g.Edges())
	for i := range parts {
		parts[i] = g.EdgeText(i)
	}
	return strings.Join(parts, " & ")
}

// Bindings gives the slots of a plan their values.
type Bindings struct {
	// Constants holds the entity of each constant slot.
	Constants []model.EntityID
	// Relations holds the relation of each relation slot.
	Relations []model.RelationID
}

// Negates reports whether an atom of some disjunct is negated: then what follows from a graph may
// cease to when the graph grows.
func Negates(disjuncts []Graph) bool {
	return slices.ContainsFunc(disjuncts, func(g Graph) bool {
		return slices.ContainsFunc(g.Atoms, func(a Atom) bool { return a.Negated })
	})
}
