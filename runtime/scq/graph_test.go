package scq

import "testing"

// TestQueryGraphString checks the text by which shapes are known, and the text of a graph's parts.
func TestQueryGraphString(t *testing.T) {
	g := Disjunct{Variables: []string{"f", "e1"}, Atoms: []Atom{
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
	if got := (&Disjunct{}).String(); got != "" {
		t.Errorf("a graph without atoms is %q", got)
	}
}
