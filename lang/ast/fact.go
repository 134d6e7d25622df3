package ast

// Fact is a fact that a text states.
type Fact struct {
	// Names are the names of a head, a relation and a tail. A relation that ends in ^-1 is an inverse. If Value
	// is set, they are the names of an entity and an attribute, and a value.
	Names [3]string
	// Value says that the tail is a value, a date if it is Quoted and otherwise a number.
	Value, Quoted bool
	Pos           Pos
}
