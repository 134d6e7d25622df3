package ast

import (
	"strconv"
)

// TypeFilter keeps only answers that have the given type. The parser takes it out of the formula.
type TypeFilter struct {
	// Relation points from an answer to its type. An empty name means the model's own type relation.
	Relation Relation
	// Entity is the type, a Constant.
	Entity Term
	// Variable is the variable that is filtered; Written is the relation as written, with its alias.
	Variable Term
	Written  Relation
	Pos
}

// String prints the type: City, or instance_of("City").
func (l *TypeFilter) String() string {
	if l.Relation.Name != "" {
		return l.AsWritten().String() + "(" + l.Entity.String() + ")"
	}
	if IsIdent(l.Entity.Name) {
		return l.Entity.Name
	}
	return strconv.Quote(l.Entity.Name)
}

// AsWritten returns the relation as it was written.
func (l *TypeFilter) AsWritten() Relation {
	if l.Written.Name != "" {
		return l.Written
	}
	return l.Relation
}
