package plan

import (
	"testing"

	"github.com/efoc/efoc/runtime/scq"
)

// TestQueryGraphString checks the text by which shapes are known, and the text of a graph's parts.
func TestQueryGraphString(t *testing.T) {
	g := scq.Disjunct{Variables: []string{"f", "e1"}, Atoms: []scq.Atom{
		{Relation: 0, Head: scq.Const(0), Tail: scq.Var(1)},
		{Relation: 11, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
		{Relation: 1, Head: scq.Var(0), Tail: scq.Var(0)},
		{Relation: 2, Head: scq.Const(9), Tail: scq.Const(1)},
		scq.NewUnequal(scq.Var(1), scq.Var(0)), scq.NewUnequal(scq.Const(3), scq.Var(1)),
	}}
	if got, want := g.String(), "r1(s1,e1) & !r12(e1,f) & r2(f,f) & r3(s10,s2) & f!=e1 & e1!=s4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := g.AtomText(g.Atoms[1]); got != "!r12(e1,f)" {
		t.Errorf("the text of an atom is %s", got)
	}
	if g.TermName(scq.Var(1)) != "e1" || g.TermName(scq.Const(9)) != "s10" {
		t.Errorf("terms are %s and %s", g.TermName(scq.Var(1)), g.TermName(scq.Const(9)))
	}
	if got := (&scq.Disjunct{}).String(); got != "" {
		t.Errorf("a graph without atoms is %q", got)
	}
}
