package ast

import "fmt"

// Formula is one of *And, *Or, *Not, *Exists, *Atom, *Unequal and *Filter, or an abbreviation that Normalize expands
// into these: *Implies, *Forall or *Path.
type Formula interface {
	// Position is where the formula starts.
	Position() Pos
}

// And is the conjunction of two or more formulas.
type And struct {
	Args []Formula
	Pos
}

// Or is the disjunction of two or more formulas.
type Or struct {
	Args []Formula
	Pos
}

// Not is a negation.
type Not struct {
	Arg Formula
	Pos
}

// Exists quantifies one or more variables.
type Exists struct {
	Vars []Term
	Body Formula
	Pos

	// Refusal explains why the quantifier cannot be negated if it comes from an abbreviation; otherwise empty.
	Refusal string
}

// Implies is the implication if -> then.
type Implies struct {
	If, Then Formula
	Pos
}

// Forall quantifies one or more variables universally. It is part of EFO1 under a negation.
type Forall struct {
	Vars []Term
	Body Formula
	Pos
}

// Path is a chain of Least to Most atoms, each by one of the relations: (r|s^-1){1,3}(head, tail).
type Path struct {
	Relations   []Relation
	Least, Most int
	Head, Tail  Term
	Pos
}

// Atom is r(head, tail).
type Atom struct {
	Relation   Relation
	Head, Tail Term
	Pos
}

// Unequal is left != right: the two terms denote different entities.
type Unequal struct {
	Left, Right Term
	Pos
}

// Compared is a comparison of a variable for a value, as in ?p > 5. Package sparql joins all comparisons of a variable into a Filter.
type Compared struct {
	Variable Term
	Comparison
}

// Parts returns the direct subformulas of f.
func Parts(f Formula) []Formula {
	switch f := f.(type) {
	case *And:
		return f.Args
	case *Or:
		return f.Args
	case *Not:
		return []Formula{f.Arg}
	case *Exists:
		return []Formula{f.Body}
	case *Implies:
		return []Formula{f.If, f.Then}
	case *Forall:
		return []Formula{f.Body}
	case *Atom, *Path, *Unequal, *Filter, *Compared, *TypeFilter:
		return nil
	}
	panic(fmt.Sprintf("internal error: unknown formula %T", f))
}

// Quantified returns the variables that a quantifier binds; nil for other formulas.
func Quantified(f Formula) []Term {
	switch f := f.(type) {
	case *Exists:
		return f.Vars
	case *Forall:
		return f.Vars
	}
	return nil
}

// Terms returns the arguments of an atom, path, inequality or filter; nil for other formulas.
func Terms(f Formula) []*Term {
	switch f := f.(type) {
	case *Atom:
		return []*Term{&f.Head, &f.Tail}
	case *Path:
		return []*Term{&f.Head, &f.Tail}
	case *Unequal:
		return []*Term{&f.Left, &f.Right}
	case *Filter:
		return []*Term{&f.Subject}
	case *Compared:
		return []*Term{&f.Variable}
	}
	return nil
}

// Walk calls visit for a formula and all its parts, in source order.
func Walk(f Formula, visit func(Formula)) {
	visit(f)
	for _, part := range Parts(f) {
		Walk(part, visit)
	}
}
