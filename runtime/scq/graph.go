// Package scq describes the disjuncts of a query, its subgraph conjunctive queries (SCQs),
// as graphs over numbered slots, and matches them exactly in observed graphs: Holds says
// whether an answer is known. It knows neither formulas nor plans.
package scq

import (
	"errors"
	"fmt"
	"strconv"
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

// String returns the atoms in canonical text: r1(s1,e1) & !r2(e1,f).
func (g *Graph) String() string {
	atoms := make([]string, len(g.Atoms))
	for i, a := range g.Atoms {
		atoms[i] = g.AtomText(a)
	}
	return strings.Join(atoms, " & ")
}

// Bindings gives the slots of a plan their values.
type Bindings struct {
	// Constants holds the entity of each constant slot.
	Constants []model.EntityID
	// Relations holds the relation of each relation slot.
	Relations []model.RelationID
}

// Parse reads the canonical text of a shape: the atoms of each disjunct, such as
// r1(s1,e1) & !r2(e1,f), with | between disjuncts. It is the inverse of Graph.String.
func Parse(shape string) ([]Graph, error) {
	var graphs []Graph
	for disjunct := range strings.SplitSeq(shape, " | ") {
		g := Graph{Variables: []string{"f"}}
		for text := range strings.SplitSeq(disjunct, " & ") {
			a, err := g.parseAtom(text)
			if err != nil {
				return nil, fmt.Errorf("shape %q: %w", shape, err)
			}
			g.Atoms = append(g.Atoms, a)
		}
		graphs = append(graphs, g)
	}
	return graphs, nil
}

// parseAtom reads an atom and adds its variables to the graph.
func (g *Graph) parseAtom(text string) (Atom, error) {
	rest, negated := strings.CutPrefix(text, "!")
	relation, terms, _ := strings.Cut(rest, "(")
	head, tail, _ := strings.Cut(strings.TrimSuffix(terms, ")"), ",")
	a := Atom{Negated: negated}
	var err error
	a.Relation, err = slot(relation, "r")
	if err == nil {
		a.Head, err = g.parseTerm(head)
	}
	if err == nil {
		a.Tail, err = g.parseTerm(tail)
	}
	if err == nil && g.AtomText(a) != text {
		err = errors.New("want a relation slot and two terms")
	}
	if err != nil {
		return a, fmt.Errorf("atom %q: %w", text, err)
	}
	return a, nil
}

// maxVariables bounds the variables of a shape.
const maxVariables = 1 << 10

// parseTerm reads s1, f or e1; variables are numbered by name, f being 0.
func (g *Graph) parseTerm(text string) (Term, error) {
	if strings.HasPrefix(text, "s") {
		i, err := slot(text, "s")
		return Const(i), err
	}
	i := 0
	if text != "f" {
		var err error
		if i, err = slot(text, "e"); err != nil {
			return Term{}, err
		}
		i++
	}
	if i > maxVariables {
		return Term{}, fmt.Errorf("%s is one variable of too many", text)
	}
	for v := len(g.Variables); v <= i; v++ {
		g.Variables = append(g.Variables, fmt.Sprintf("e%d", v))
	}
	return Var(i), nil
}

// slot reads a letter and a number from 1, and returns the number counted from 0.
func slot(text, letter string) (int, error) {
	digits, ok := strings.CutPrefix(text, letter)
	i, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil || i == 0 {
		return 0, fmt.Errorf("%q is not %s1, %s2, …", text, letter, letter)
	}
	return int(i) - 1, nil
}
