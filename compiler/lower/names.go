package lower

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/scq"
)

// shapeNames names terms and edges as in the canonical text of a shape.
type shapeNames struct{ graphs []scq.Disjunct }

// Term returns s1, e1, f, …
func (n shapeNames) Term(i int, t ir.Term) string { return n.graphs[i].TermName(scq.Term(t)) }

// Edge returns !r2(e1,f), or !r2^-1(f,e1) for an atom read from its tail.
func (n shapeNames) Edge(i int, e ir.Edge) string {
	g := &n.graphs[i]
	a := g.Atoms[e.Index]
	sign := ""
	if !e.Inverse {
		return g.AtomText(a)
	}
	if a.Negated {
		sign = "!"
	}
	return fmt.Sprintf("%sr%d^-1(%s,%s)", sign, a.Relation+1, g.TermName(a.Tail), g.TermName(a.Head))
}

// Filter returns p1(e1).
func (n shapeNames) Filter(i, filter int) string {
	g := &n.graphs[i]
	return g.FilterText(g.Filters[filter])
}

// Filter returns the text of a filter of a disjunct in the query's names.
func (s *Shape) Filter(disjunct, filter int) string {
	f := s.Disjuncts[disjunct].Filters[filter]
	return s.Filters[f.Slot].Text(s.Variables[disjunct][f.Variable])
}

// Literal returns an atom of a disjunct in the query's names, read from its head to its tail.
func (s *Shape) Literal(disjunct, atom int) ast.Literal {
	a := s.Disjuncts[disjunct].Atoms[atom]
	l := ast.Literal{Negated: a.Negated, Head: s.Term(disjunct, a.Head), Tail: s.Term(disjunct, a.Tail)}
	if a.Unequal() {
		l.Kind = ast.SameAtom
	} else {
		l.Relation = s.Relations[a.Relation]
	}
	reversed := s.Reversed[disjunct]
	l.Reversed = reversed != nil && reversed[atom]
	return l
}

// Term returns a term of a disjunct in the query's names.
func (s *Shape) Term(disjunct int, t scq.Term) ast.Term {
	if t.Constant {
		return s.Constants[t.Index]
	}
	return ast.Term{Name: s.Variables[disjunct][t.Index]}
}
