package ast

// DNF is a query in disjunctive normal form: prenex, with negation only on atoms, distinct
// bound variables, and one conjunction of literals per disjunct.
type DNF struct {
	// Free is the name of the free variable; with several, of the first.
	Free string
	// Disjuncts are the conjunctions, at least one.
	Disjuncts []Disjunct
}

// Disjunct is a conjunctive query: a conjunction of literals. Each variable that is not free is existential and
// occurs in a literal other than an inequality.
type Disjunct struct {
	Literals []Literal
}

// AtomKind is the kind of the atom of a literal.
type AtomKind uint8

// The kinds of atoms.
const (
	// LinkAtom is r(head, tail).
	LinkAtom AtomKind = iota
	// SameAtom says that head and tail are the same entity. Its negation is an inequality.
	SameAtom
	// FilterAtom says that head meets a condition.
	FilterAtom
)

// Literal is an atom or its negation. In a normal form it points from an entity to a variable, or from the
// variable farther from the free one, by distance in the query graph, to the nearer one; at equal distances it
// is written without ^-1.
//
// In a normal form the head of an inequality is a variable. The negation of a filter is in its Condition; the literal is
// not Negated.
type Literal struct {
	Kind    AtomKind
	Negated bool
	// Relation is the relation of a link, and Condition the condition of a filter. A filter has no Tail.
	Relation   Relation
	Condition  Condition
	Head, Tail Term
	// Reversed says that the formula has the literal in the other direction: r^-1(tail, head).
	Reversed bool
	// Site numbers the atom in the formula, from 0 in source order. Distribution copies an atom into several
	// disjuncts; copies with equal sites have equal relations and constants.
	Site int
	Pos  Pos
}

// Terms returns the arguments of the literal.
func (l *Literal) Terms() []*Term {
	if l.Kind == FilterAtom {
		return []*Term{&l.Head}
	}
	return []*Term{&l.Head, &l.Tail}
}

// Reverse returns the literal in the other direction: r^-1(b, a) for r(a, b).
func (l Literal) Reverse() Literal {
	l.Relation.Inverse = !l.Relation.Inverse
	l.Head, l.Tail = l.Tail, l.Head
	l.Reversed = !l.Reversed
	return l
}

// Forward returns the literal without ^-1: r(b, a) for r^-1(a, b).
func (l Literal) Forward() Literal {
	if l.Relation.Inverse {
		return l.Reverse()
	}
	return l
}

// AsWritten returns the literal in the direction in which the formula has it.
func (l Literal) AsWritten() Literal {
	if l.Reversed {
		return l.Reverse()
	}
	return l
}

// Formula returns the literal of a merged disjunct as a formula.
func (l Literal) Formula() Formula {
	switch l.Kind {
	case SameAtom:
		return &Unequal{l.Head, l.Tail, l.Pos}
	case FilterAtom:
		return &Filter{l.Condition, l.Head, l.Pos}
	}
	atom := &Atom{l.Relation, l.Head, l.Tail, l.Pos}
	if l.Negated {
		return &Not{atom, l.Pos}
	}
	return atom
}

// Formula returns the conjunction as a formula with one free variable.
func (s Disjunct) Formula(free string) Formula {
	var args []Formula
	var vars []Term
	for _, l := range s.Literals {
		for _, t := range l.Terms() {
			if t.Kind == Variable && t.Name != free && !HasName(vars, t.Name) {
				vars = append(vars, *t)
			}
		}
		args = append(args, l.AsWritten().Formula())
	}
	f := args[0]
	if len(args) > 1 {
		f = &And{Args: args, Pos: f.Position()}
	}
	if len(vars) > 0 {
		f = &Exists{Vars: vars, Body: f, Pos: f.Position()}
	}
	return f
}
