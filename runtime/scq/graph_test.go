package scq

import (
	"slices"
	"strings"
	"testing"
)

// TestQueryGraphString checks the text by which shapes are known, and that of its parts.
func TestQueryGraphString(t *testing.T) {
	g := Graph{Variables: []string{"f", "e1"}, Atoms: []Atom{
		{Relation: 0, Head: Const(0), Tail: Var(1)},
		{Relation: 11, Head: Var(1), Tail: Var(0), Negated: true},
		{Relation: 1, Head: Var(0), Tail: Var(0)},
		{Relation: 2, Head: Const(9), Tail: Const(1)},
		NewUnequal(Var(1), Var(0)), NewUnequal(Const(3), Var(1)),
	}}
	if got, want := g.String(), "r1(s1,e1) & !r12(e1,f) & r2(f,f) & r3(s10,s2) & f!=e1 & e1!=s4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := g.AtomText(g.Atoms[1]); got != "!r12(e1,f)" {
		t.Errorf("the text of an atom is %s", got)
	}
	if g.TermName(Var(1)) != "e1" || g.TermName(Const(9)) != "s10" {
		t.Errorf("terms are %s and %s", g.TermName(Var(1)), g.TermName(Const(9)))
	}
	if got := (&Graph{}).String(); got != "" {
		t.Errorf("a graph without atoms is %q", got)
	}
}

// TestParse reads shapes back, and refuses what is none.
func TestParse(t *testing.T) {
	const shape = "r1(s1,e1) & !r12(e2,f) & r2(f,f) & r3(s10,s2) & f!=e2 & e1!=e2 & e1!=s10 | r1(f,s1)"
	graphs, err := Parse(shape)
	if err != nil || len(graphs) != 2 || Text(graphs) != shape {
		t.Fatalf("%s becomes %v, error %v", shape, graphs, err)
	}
	if want := []string{"f", "e1", "e2"}; !slices.Equal(graphs[0].Variables, want) || len(graphs[1].Variables) != 1 {
		t.Errorf("variables are %v and %v, want %v and f", graphs[0].Variables, graphs[1].Variables, want)
	}
	if a := graphs[0].Atoms[1]; a != (Atom{Relation: 11, Head: Var(2), Tail: Var(0), Negated: true}) {
		t.Errorf("!r12(e2,f) is %+v", a)
	}
	if got, want := graphs[0].Atoms[4:], []Atom{NewUnequal(Var(0), Var(2)), NewUnequal(Var(1), Var(2)), NewUnequal(Const(9), Var(1))}; !slices.Equal(got, want) {
		t.Errorf("the inequalities are %v, want %v", got, want)
	}
	for _, bad := range []string{
		"f!=s1 & r1(f,s1)", "r1(f,s1) & s1!=f", "r1(f,s1) & f!=f", "r1(f,s1) & f!=", "r1(f,s1) & s1!=s2", "r1(f,e1) & e1!=f", "r1(f,s1) & f!=e1",
		"r1(f,s1) & !f!=s1", "r1(f,s1) & f!=s1!=s2", "f!=s1",
		"", "x", "r1", "r1()", "r1(f)", "r1(f,s1", "r0(f,s1)", "r1(f,s0)", "r01(f,s1)", "r1(f,x1)", "r1(f,e)", "r1(f,s1) ", "r1(f,s1)&r1(f,s1)",
		"r1(f,s1) & ", "r1(f,s1) |", "r1(e1000000000,f)", "r99999999999(f,s1)", "!!r1(f,s1)", "r+1(f,s1)",
	} {
		if g, err := Parse(bad); err == nil || !strings.Contains(err.Error(), "shape ") {
			t.Errorf("%q becomes %v, error %v", bad, g, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("r1(s1,e1) & !r2(e1,f) & f!=e1 & f!=s2 | r1(f,s1)")
	f.Fuzz(func(t *testing.T, shape string) {
		graphs, err := Parse(shape)
		if err != nil {
			return
		}
		if got := Text(graphs); got != shape {
			t.Errorf("%q is read as %q", shape, got)
		}
	})
}
