package scq

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the canonical text of a shape, as one rank of a split model names it to another:
// the atoms of each disjunct, such as r1(s1,e1) & !r2(e1,f) & f!=s2, with | between disjuncts.
// It is the inverse of Text.
func Parse(shape string) ([]Graph, error) {
	var graphs []Graph
	for disjunct := range strings.SplitSeq(shape, " | ") {
		g := Graph{Variables: []string{"f"}}
		for text := range strings.SplitSeq(disjunct, " & ") {
			if err := g.parseAtom(text); err != nil {
				return nil, fmt.Errorf("shape %q: %w", shape, err)
			}
		}
		graphs = append(graphs, g)
	}
	return graphs, nil
}

// parseAtom reads an atom and adds it to the graph, with its variables.
func (g *Graph) parseAtom(text string) error {
	a, err := g.readAtom(text)
	switch {
	case err != nil:
	case g.AtomText(a) != text:
		err = errors.New("want a relation slot and two terms, or a variable, !=, and a later one or a constant slot")
	case a.Unequal() && !(g.inAtom(a.Head) && (a.Tail.Constant || g.inAtom(a.Tail))):
		err = errors.New("want variables that earlier atoms have")
	}
	if err != nil {
		return fmt.Errorf("atom %q: %w", text, err)
	}
	g.Atoms = append(g.Atoms, a)
	return nil
}

// readAtom reads an atom, which may be written in another way than the canonical one.
func (g *Graph) readAtom(text string) (a Atom, err error) {
	if left, right, ok := strings.Cut(text, "!="); ok {
		var x, y Term
		if x, err = g.parseTerm(left); err == nil {
			y, err = g.parseTerm(right)
		}
		if err == nil && (x == y || x.Constant) {
			err = errors.New("want a variable, and a later one or a constant slot")
		}
		return NewUnequal(x, y), err
	}
	rest, negated := strings.CutPrefix(text, "!")
	relation, terms, _ := strings.Cut(rest, "(")
	head, tail, _ := strings.Cut(strings.TrimSuffix(terms, ")"), ",")
	a.Negated = negated
	if a.Relation, err = slot(relation, "r"); err == nil {
		a.Head, err = g.parseTerm(head)
	}
	if err == nil {
		a.Tail, err = g.parseTerm(tail)
	}
	return a, err
}

// inAtom reports whether a term is in an atom of a relation.
func (g *Graph) inAtom(t Term) bool {
	return slices.ContainsFunc(g.Atoms, func(a Atom) bool { return !a.Unequal() && (a.Head == t || a.Tail == t) })
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
