package plantest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/seed"
)

// TestFormula checks that drawn queries read back from their text, and that all
// that a query can have does occur.
func TestFormula(t *testing.T) {
	seen := map[string]int{}
	seed.Check(t, func(t *rapid.T) {
		for range 10 {
			checkFormula(t, seen)
		}
	})
	if !seed.Enough() {
		return
	}
	for _, what := range []string{"disjunction", "negation", "inverse", "loop", "variables", "parameter", "parallel", "unanchored", "unequal entity", "unequal variables",
		"path", "path of no step", "choice"} {
		if seen[what] == 0 {
			t.Errorf("no query had: %s", what)
		}
	}
}

// checkFormula draws a query, reads it back, and counts what it has.
func checkFormula(t *rapid.T, seen map[string]int) {
	t.Helper()
	o := Options{Entities: 5, Relations: 3}
	if rapid.Bool().Draw(t, "template") {
		o.Name = "T"
	}
	q := Formula(t, o)
	file := &lang.File{Queries: []*lang.Query{q}}
	if q.Name != "" {
		if _, err := lang.ParseFile("t.efo", []byte(file.String())); err != nil {
			t.Fatalf("%s\n%v", file.String(), err)
		}
	}
	ast.Walk(q.Formula, func(f ast.Formula) {
		if p, ok := f.(*ast.Path); ok {
			switch {
			case p.Least == 0:
				seen["path of no step"]++
			case p.Most > 1:
				seen["path"]++
			default:
				seen["choice"]++
			}
		}
	})
	dnf := q.Normal
	if len(dnf.Disjuncts) > 1 {
		seen["disjunction"]++
	}
	for _, s := range dnf.Disjuncts {
		note(seen, s)
		if !slices.ContainsFunc(s.Literals, func(l ast.Literal) bool { return l.Head.Kind != ast.Variable }) {
			seen["unanchored"]++
		}
	}
}

// note counts what a disjunct has.
func note(seen map[string]int, s ast.Disjunct) {
	for i, l := range s.Literals {
		switch {
		case l.Kind == ast.FilterAtom:
			seen["filter"]++
			continue
		case l.Kind == ast.SameAtom && l.Tail.Kind == ast.Variable:
			seen["unequal variables"]++
			continue
		case l.Kind == ast.SameAtom:
			seen["unequal entity"]++
			continue
		}
		if l.Negated {
			seen["negation"]++
		}
		if l.Relation.Inverse {
			seen["inverse"]++
		}
		if l.Head == l.Tail {
			seen["loop"]++
		} else if l.Head.Kind == ast.Variable && l.Tail.Kind == ast.Variable {
			seen["variables"]++
		}
		if l.Head.Kind == ast.Parameter {
			seen["parameter"]++
		}
		for _, m := range s.Literals[:i] {
			if m.Head == l.Head && m.Tail == l.Tail || m.Head == l.Tail && m.Tail == l.Head {
				seen["parallel"]++
			}
		}
	}
}

// TestModel checks that drawn models open and differ.
func TestModel(t *testing.T) {
	facts := map[int]bool{}
	seed.Check(t, func(t *rapid.T) {
		m := Model(t, rapid.IntRange(1, 12).Draw(t, "entities"), rapid.IntRange(1, 3).Draw(t, "relations"), 2)
		facts[m.Bundle().Graph.NumTriples()] = true
	})
	if len(facts) < 5 && seed.Enough() {
		t.Errorf("only %d sizes of graphs", len(facts))
	}
}
