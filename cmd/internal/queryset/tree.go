package queryset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
)

// tree writes a formula as a structure: each variable must have one atom that
// leads on from it, and the last the free variable.
type tree struct {
	*Group
	structure tuple
	// entities and relations are the parameters, by number, in the order in which
	// a query of the structure holds them.
	entities, relations []int
	used                map[string]bool
	deMorgan, universal bool
}

// chain is a structure: a start, "e" or a tuple of parts, and the operations on it.
type chain struct {
	start any
	ops   tuple
}

func (c chain) tuple() tuple {
	if len(c.ops) == 0 {
		return c.start.(tuple)
	}
	return tuple{c.start, c.ops}
}

// newTree returns the structure of a group's formula.
func newTree(g *Group) (*tree, error) {
	t := &tree{
		Group: g, used: map[string]bool{},
		deMorgan: strings.HasSuffix(g.Name, deMorgan), universal: strings.HasSuffix(g.Name, universal),
	}
	if g.isTemplate() {
		return nil, t.fault("it is a template")
	}
	pool := conjuncts(g.Template.Formula)
	s, err := t.variable(g.Template.Free, &pool)
	if err == nil && len(pool) > 0 {
		err = t.fault("not all of its atoms lead to " + g.Template.Free)
	}
	if err != nil {
		return nil, err
	}
	t.structure = s.tuple()
	return t, nil
}

func (t *tree) fault(why string) error {
	return fmt.Errorf("group %s cannot be written as BetaE's nested tuples: %s", t.Name, why)
}

// conjuncts lists the operands of a conjunction without its quantifier.
func conjuncts(f lang.Formula) []lang.Formula {
	switch f := f.(type) {
	case *lang.Exists:
		return conjuncts(f.Body)
	case *lang.And:
		return slices.Clone(f.Args)
	}
	return []lang.Formula{f}
}

// variable takes what leads to a variable out of the pool.
func (t *tree) variable(name string, pool *[]lang.Formula) (chain, error) {
	var mine, others []lang.Formula
	for _, f := range *pool {
		if root(f) == name {
			mine = append(mine, f)
		} else {
			others = append(others, f)
		}
	}
	*pool = others
	if len(mine) == 0 {
		return chain{}, t.fault("no atom leads to " + name)
	}
	var parts tuple
	for _, f := range mine {
		part, err := t.part(name, f, pool)
		if err != nil || len(mine) == 1 {
			return part, err
		}
		parts = append(parts, part.tuple())
	}
	return chain{start: parts}, nil
}

// part returns the structure of one formula that leads to a variable.
func (t *tree) part(name string, f lang.Formula, pool *[]lang.Formula) (chain, error) {
	switch f := f.(type) {
	case *lang.Atom:
		return t.atom(f, false, pool)
	case *lang.Not:
		if a, ok := f.Arg.(*lang.Atom); ok {
			return t.atom(a, true, pool)
		}
	case *lang.Or:
		var parts tuple
		for _, a := range f.Args {
			within := conjuncts(a)
			part, err := t.variable(name, &within)
			if err == nil && len(within) > 0 {
				err = t.fault("not all atoms of a disjunct lead to " + name)
			}
			if err != nil {
				return part, err
			}
			if t.deMorgan {
				part.ops = append(part.ops, "n")
			}
			parts = append(parts, part.tuple())
		}
		if t.deMorgan {
			return chain{parts, tuple{"n"}}, nil
		}
		return chain{start: append(parts, tuple{"u"})}, nil
	}
	return chain{}, t.fault("a negation of more than an atom")
}

// atom returns the chain that an atom ends.
func (t *tree) atom(a *lang.Atom, negated bool, pool *[]lang.Formula) (chain, error) {
	s := chain{start: "e"}
	if a.Head.Kind == lang.Variable {
		switch {
		case t.used[a.Head.Name]:
			return s, t.fault(fmt.Sprintf("several atoms lead on from %s: it has a cycle or parallel atoms", a.Head.Name))
		case negated && !t.universal:
			return s, t.fault(fmt.Sprintf("!%s(%s,%s) is read there as \"by no %[2]s\", here as \"not by some\"", a.Relation.Name, a.Head.Name, a.Tail.Name))
		}
		t.used[a.Head.Name] = true
		var err error
		if s, err = t.variable(a.Head.Name, pool); err != nil {
			return s, err
		}
	} else {
		t.entities = append(t.entities, t.param(a.Head.Name))
	}
	t.relations = append(t.relations, t.param(a.Relation.Name))
	if s.ops = append(s.ops, "r"); negated {
		s.ops = append(s.ops, "n")
	}
	return s, nil
}

// param returns the number of a parameter.
func (t *tree) param(name string) int {
	return slices.IndexFunc(t.Template.Params, func(p lang.Param) bool { return p.Name == name })
}

// root returns the variable that a formula leads to, empty if it is not one.
func root(f lang.Formula) string {
	switch f := f.(type) {
	case *lang.Atom:
		if f.Tail.Kind == lang.Variable {
			return f.Tail.Name
		}
	case *lang.Not:
		return root(f.Arg)
	case *lang.And:
		// The one that no other operand leads on from.
		heads := map[string]bool{}
		for _, a := range f.Args {
			if atom, ok := a.(*lang.Atom); ok {
				heads[atom.Head.Name] = true
			}
		}
		for _, a := range f.Args {
			if r := root(a); r != "" && !heads[r] {
				return r
			}
		}
	case *lang.Or:
		first := root(f.Args[0])
		if !slices.ContainsFunc(f.Args, func(a lang.Formula) bool { return root(a) != first }) {
			return first
		}
	}
	return ""
}
