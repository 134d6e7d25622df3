package scq

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the canonical text of a shape: the atoms of each disjunct and then its
// inequalities, such as r1(s1,e1) & !r2(e1,f) & f!=s2, with | between disjuncts. It is the
// inverse of Graph.String.
func Parse(shape string) ([]Graph, error) {
	var graphs []Graph
	for disjunct := range strings.SplitSeq(shape, " | ") {
		g := Graph{Variables: []string{"f"}}
		for text := range strings.SplitSeq(disjunct, " & ") {
			if err := g.parsePart(text); err != nil {
				return nil, fmt.Errorf("shape %q: %w", shape, err)
			}
		}
		graphs = append(graphs, g)
	}
	return graphs, nil
}

// parsePart reads an atom or an inequality and adds it to the graph.
func (g *Graph) parsePart(text string) error {
	if left, right, ok := strings.Cut(text, "!="); ok {
		return g.parseUnequal(text, left, right)
	}
	if len(g.Unequal) > 0 {
		return fmt.Errorf("atom %q stands behind an inequality", text)
	}
	a, err := g.parseAtom(text)
	g.Atoms = append(g.Atoms, a)
	return err
}

// parseUnequal reads the inequality text, whose terms are left and right.
func (g *Graph) parseUnequal(text, left, right string) error {
	var u Unequal
	var err error
	if u.Left, err = g.parseTerm(left); err == nil {
		u.Right, err = g.parseTerm(right)
	}
	switch {
	case err != nil:
	case !u.ordered():
		err = errors.New("want a variable, and a later one or a constant slot")
	case !g.inAtom(u.Left) || !u.Right.Constant && !g.inAtom(u.Right):
		err = errors.New("want variables that are in atoms")
	}
	if err != nil {
		return fmt.Errorf("inequality %q: %w", text, err)
	}
	g.Unequal = append(g.Unequal, u)
	return nil
}

// inAtom reports whether a term is in an atom.
func (g *Graph) inAtom(t Term) bool {
	return slices.ContainsFunc(g.Atoms, func(a Atom) bool { return a.Head == t || a.Tail == t })
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
