package ast

import (
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/internal/token"
)

// Relation is the relation of an atom: a name or a parameter, possibly inverted.
//
// r^-1(x, y) means the same as r(y, x). A normal form has one of the two in either notation, see Literal; a
// checkpoint with reciprocal relations has an embedding for each.
type Relation struct {
	// Name of the relation, or of the parameter.
	Name string
	// Param says that Name is a parameter.
	Param bool
	// Inverse says that the atom uses r^-1.
	Inverse bool
	// Quoted says that a name that could be an identifier is written in quotes, so that it names a relation of the
	// model, not an alias. Normal forms leave it out.
	Quoted bool
	Pos    Pos
}

// TermKind is the kind of a term.
type TermKind uint8

// The kinds of terms.
const (
	// Variable is the free variable or an existential one.
	Variable TermKind = iota
	// Constant is an entity by name.
	Constant
	// Parameter is an entity that the caller of a template supplies.
	Parameter
)

// Term is an argument of an atom.
type Term struct {
	Kind TermKind
	// Name of the variable, entity or parameter.
	Name string
	Pos  Pos
}

// HasName reports whether one of the terms has a name.
func HasName(terms []Term, name string) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Name == name })
}

// Names returns the names of terms.
func Names(terms []Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Name
	}
	return out
}

// String prints the relation, quoted unless its name is an identifier and was written without quotes.
func (r Relation) String() string {
	s := r.Name
	switch {
	case r.Param:
		s = "$" + s
	case r.Quoted || !IsIdent(s):
		s = strconv.Quote(s)
	}
	if r.Inverse {
		s += "^-1"
	}
	return s
}

// applied prints the relation before its arguments, where a prefixed name needs no quotes.
func (r Relation) applied() string {
	if !token.IsPrefixed(r.Name) || r.Param {
		return r.String()
	}
	if r.Inverse {
		return r.Name + "^-1"
	}
	return r.Name
}

// Applied prints a relation with its arguments.
func (r Relation) Applied(args ...string) string {
	return r.applied() + "(" + strings.Join(args, ", ") + ")"
}

// String prints the term.
func (t Term) String() string {
	switch t.Kind {
	case Constant:
		return strconv.Quote(t.Name)
	case Parameter:
		return "$" + t.Name
	}
	return t.Name
}
